import { CHECKS } from './checks.ts'
import type { ProgramRule } from './rule.ts'
import { all, EXEC, except, PLACE, RUNS, refused } from './shared.ts'

const ELSEWHERE = 'it asks another place than the registry'

const npmRefuse: ProgramRule['refuse'] = {
  '--registry --proxy --https-proxy --http-proxy --node-gyp --use-yarnrc': ELSEWHERE,
  '-C --prefix --globalconfig --userconfig --dir --cwd': PLACE,
  '--script-shell --shell --python --node-options --editor --viewer --git --init-module --onload-script -c --call --use-node-version':
    RUNS,
  '--shell-emulator --config-dir --global-dir --store-dir --virtual-store-dir --modules-dir': PLACE,
}

/** What holds for npm and its like, whatever the subcommand. */
const npmBase: ProgramRule = {
  anyDashes: true,
  refuse: npmRefuse,
  refuseWords: { '^-+config\\.': 'it changes the configuration', '^-+@[^=]*:registry': ELSEWHERE },
}

/** A package of the registry: no address, no repository. */
const asks: ProgramRule = {
  ...npmBase,
  refuseOperands: { ':': ELSEWHERE, '^(?!@[^/@]+/[^/]*$)[^./~][^/]*/': ELSEWHERE },
}

/** A checker that a package manager runs when it is installed. */
const CHECKS_HERE: Readonly<Record<string, ProgramRule>> = Object.fromEntries(
  Object.entries(CHECKS).map(([name, rule]) => [
    name,
    {
      ...rule,
      refuse: { ...npmRefuse, ...rule.refuse },
      refuseWords: { ...npmBase.refuseWords, ...rule.refuseWords },
    },
  ]),
)

const npm: ProgramRule = {
  ...npmBase,
  flags:
    '-v --version -h --help -s --silent -q --quiet -d --verbose -g --global --if-present --no-audit --no-fund --offline --json --workspaces -ws -r --recursive --no-color --color --ignore-scripts',
  values: { text: '--loglevel', any: '-w --workspace --filter -F --reporter' },
  otherSubcommands: npmBase,
  subcommands: {
    ...all(
      'test t tst run run-script rum urn start stop restart build install i add ci ls list ll la outdated view info show audit why explain pack version root bin prefix ping doctor fund prune dedupe search help uninstall remove rm update up upgrade link publish',
      npmBase,
    ),
    ...all('view info show outdated', asks),
    ...all(
      'exec x dlx explore edit create init innit config c set node shell env patch-commit workspace workspaces foreach',
      refused(EXEC),
    ),
  },
}

/** A package manager that runs installed programs by their names as well. */
const npmWithChecks: ProgramRule = {
  ...npm,
  subcommands: { ...npm.subcommands, ...CHECKS_HERE, exec: { subcommands: CHECKS_HERE } },
}

const runners = except('run shell exec tool python x')
/** The Python that it runs is a version, not a program. */
const versioned: ProgramRule = { values: { version: '-p --python' } }

/** Package managers, and what runs the programs of packages. */
export const PACKAGES: Readonly<Record<string, ProgramRule>> = {
  npm,
  pnpm: npmWithChecks,
  yarn: npmWithChecks,
  npx: {
    installed: true,
    anyDashes: true,
    flags: '-y --yes --no --no-install -v --version',
    subcommands: CHECKS,
  },
  ...all('pip pip3', {
    refuse: { '--python': RUNS },
    flags:
      '-h --help --debug --isolated --require-virtualenv -v -vv -vvv --verbose -V --version -q --quiet --no-input --no-color --no-python-version-warning --disable-pip-version-check',
    values: { text: '--proxy --retries --timeout', any: '--cert --client-cert --log --cache-dir' },
    subcommands: {
      ...all(
        'install download uninstall freeze inspect list show check search cache index wheel hash completion debug help lock',
        { refuse: { '--python': RUNS } },
      ),
      config: { subcommands: all('list get debug', {}) },
    },
  }),
  bundle: except('exec e console open'),
  gem: except('exec open'),
  composer: except('exec run-script run global'),
  ...all('rye hatch conda mamba nvm volta rbenv pyenv devbox', runners),
  uv: {
    ...runners,
    subcommands: {
      ...runners.subcommands,
      ...all('sync venv pip add remove lock build tree export init', versioned),
    },
  },
  pipenv: {
    ...runners,
    values: versioned.values,
    subcommands: { ...runners.subcommands, ...all('install sync update', versioned) },
  },
  poetry: {
    ...runners,
    subcommands: {
      ...runners.subcommands,
      config: refused('it changes the configuration; leave it as it is'),
      env: { subcommands: { use: { operands: ['version'] } }, otherSubcommands: {} },
    },
  },
  pdm: {
    ...runners,
    subcommands: { ...runners.subcommands, use: { operands: ['version'] } },
  },
}
