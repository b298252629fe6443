import type { ProgramRule } from './rule.ts'
import { all, LOADS, RUNS, UNSEEN } from './shared.ts'

const CODE = 'it runs code from its arguments or its input'
const DEBUGS = 'it opens a door for a debugger'
const EMPTIES = 'it empties that directory first'
const PUBLISHES = 'it sends results to another machine'

const pytest: ProgramRule = {
  permutes: true,
  responseFiles: true,
  refuse: {
    '--basetemp': EMPTIES,
    '--pastebin --benchmark-storage': PUBLISHES,
    '--pdb --pdbcls --trace': CODE,
    '--tx --px --rsyncdir': RUNS,
  },
  values: {
    plugin: '-p',
    setting: '-o --override-ini',
    text: '-k -m -n -r -W --pythonwarnings --maxfail --tb --durations --durations-min --verbosity --capture --show-capture --color --dist --timeout --log-level --log-cli-level --import-mode --assert --reruns',
    any: '-c --config-file --rootdir --confcutdir --ignore --ignore-glob --deselect --junit-xml --junitxml --log-file',
  },
  flags:
    '-q -v -s -x -l -V -h --quiet --verbose --exitfirst --showlocals --lf --last-failed --ff --failed-first --nf --new-first --sw --stepwise --collect-only --co --no-header --no-summary --disable-warnings --strict --strict-markers --strict-config --markers --fixtures --full-trace --cache-clear --version --help',
}

const tsc: ProgramRule = {
  permutes: true,
  responseFiles: true,
  refuseOperands: { '^(?:false|null)$': 'it switches a flag off; leave both out' },
  values: {
    text: '--pretty --skipLibCheck --incremental --strict --target -t --module -m --moduleResolution --jsx --lib --types',
  },
}

const vitest: ProgramRule = {
  refuseWords: {
    '^--coverage\\.(?:reportsDirectory|reports-directory)(?:=|$)': EMPTIES,
    '^--[\\w.]*(?:execArgv|exec-argv)(?:=|$)': RUNS,
    '^--typecheck\\.checker(?:=|$)': RUNS,
    '^--(?:ui|open)(?:=|$)': 'it opens a browser',
    '^--inspect': DEBUGS,
  },
  values: { text: '-t --testNamePattern --test-name-pattern', place: '-r --root --dir' },
}

const jest: ProgramRule = {
  refuse: { '--cacheDirectory --cache-directory': EMPTIES },
  values: { text: '-t --testNamePattern' },
}

const mypy: ProgramRule = {
  responseFiles: true,
  refuse: { '--install-types --python-executable': RUNS },
}

const pylint: ProgramRule = {
  responseFiles: true,
  refuse: { '--init-hook': CODE, '--load-plugins': LOADS },
  values: { name: '-f --output-format' },
}

const pyright: ProgramRule = {
  refuse: { '--pythonpath': RUNS },
  refuseOperands: { '^-$': UNSEEN },
}

const eslint: ProgramRule = { refuse: { '--init --inspect-config --mcp': RUNS } }

const ava: ProgramRule = { refuseOperands: { '^debug$': DEBUGS } }

const cspell: ProgramRule = {
  refuse: { '--file-list': UNSEEN },
  refuseOperands: { '^link$': 'it changes the configuration of the user' },
}

const mocha: ProgramRule = {
  refuse: { '-n --node-option': RUNS },
  refuseWords: { '^--inspect': DEBUGS },
  values: { text: '-g --grep -f --fgrep' },
}

/** Programs that check or test, as packages of npm. */
export const CHECKS: Readonly<Record<string, ProgramRule>> = {
  tsc,
  'vue-tsc': tsc,
  vitest,
  jest,
  mocha,
  eslint,
  ava,
  cspell,
  ...all(
    'prettier stylelint biome oxlint knip publint markdownlint markdownlint-cli2 svelte-check',
    {},
  ),
}

/** Modules that `python -m` may run. */
export const MODULES: Readonly<Record<string, ProgramRule>> = {
  pytest,
  mypy,
  pylint,
  'json.tool': {
    operands: ['read'],
    maxOperands: 1,
    values: { text: '--indent' },
  },
  compileall: { refuse: { '-i': UNSEEN } },
  py_compile: { refuseOperands: { '^-$': UNSEEN } },
  pyright,
  ...all('black build flake8 isort pycodestyle pydocstyle pyflakes ruff tokenize unittest', {}),
}

/** The same by the names of their programs. */
export const CHECKERS: Readonly<Record<string, ProgramRule>> = {
  tsc,
  vitest,
  jest,
  mocha,
  eslint,
  ava,
  cspell,
  pytest,
  'py.test': pytest,
  mypy,
  pylint,
  pyright,
}
