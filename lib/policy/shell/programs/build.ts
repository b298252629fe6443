import { MODULES } from './checks.ts'
import type { ProgramRule } from './rule.ts'
import { all, CODE, EXEC, except, LOADS, PLACE, RUNS } from './shared.ts'

const node: ProgramRule = {
  closed: true,
  stops: true,
  glued: '--max-old-space-size --max_old_space_size --stack-size --stack-trace-limit',
  operands: ['script'],
  needsOperand: '-v --version -h --help --test --run --v8-options',
  refuse: {
    '-e --eval -p --print -i --interactive': CODE,
    '-r --require --import --loader --experimental-loader -C --conditions --env-file --env-file-if-exists --experimental-default-config-file --experimental-config-file':
      LOADS,
    '--inspect --inspect-brk --inspect-wait --inspect-port --inspect-publish-uid':
      'it opens a door for a debugger',
    '--openssl-config --icu-data-dir --diagnostic-dir --report-dir --report-directory --redirect-warnings --heapsnapshot-signal --build-snapshot --cpu-prof-dir --heap-prof-dir --trace-event-file-pattern --tls-keylog':
      'it reads or writes elsewhere',
  },
  flags:
    '-v -h -c --version --help --check --test --test-only --test-force-exit --watch --no-warnings --trace-warnings --trace-deprecation --trace-uncaught --throw-deprecation --no-deprecation --enable-source-maps --experimental-strip-types --no-experimental-strip-types --experimental-transform-types --experimental-test-coverage --experimental-vm-modules --experimental-sqlite --experimental-websocket --expose-gc --expose_gc --preserve-symlinks --v8-options --permission',
  values: {
    text: '--test-name-pattern --test-skip-pattern --test-concurrency --test-timeout --test-shard --unhandled-rejections --run --input-type --disable-warning',
    write: '--test-reporter-destination',
    reporter: '--test-reporter',
  },
}

const python: ProgramRule = {
  closed: true,
  stops: true,
  operands: ['script'],
  instead: '-m',
  needsOperand: '-V --version -h --help -m',
  refuse: { '-c': CODE, '-i': CODE },
  flags: '-B -b -d -E -h -I -O -OO -P -q -s -S -u -v -V -x -R --version --help',
  values: { text: '-W --check-hash-based-pycs', any: '-X', module: '-m' },
  modules: MODULES,
}

const coverage: ProgramRule = {
  ...python,
  refuse: {},
  flags: '--branch -a --append -p',
  values: { module: '-m' },
}

/** Interpreters that know flags for code only; their first operand is a program. */
function interpreter(code: string, harmless = '-v -V --version -h --help'): ProgramRule {
  return {
    closed: true,
    stops: true,
    operands: ['script'],
    needsOperand: harmless,
    refuse: { [code]: CODE },
    flags: harmless,
  }
}

const goSub: ProgramRule = {
  singleDash: true,
  refuse: {
    '-exec --exec -toolexec --toolexec -vettool --vettool -C -compiler --compiler -gccgoflags --gccgoflags -http --http':
      RUNS,
    '-overlay --overlay -modfile --modfile': 'it reads other files in place of these',
  },
  values: { linker: '-ldflags --ldflags' },
}

const SHOWS = 'it shows a secret; leave it out'
const GH = except('alias extension ext codespace cs config')
const talk: ProgramRule = {
  permutes: true,
  values: {
    text: '-t --title --subject -b --body -B --base -H --head -a --assignee -l --label -m --milestone -r --reviewer -R --repo --json -q --jq --comment',
    read: '-F --body-file -T --template',
  },
}
const release: ProgramRule = {
  permutes: true,
  values: {
    text: '-t --title -n --notes --target -R --repo --json -q --jq',
    read: '-F --notes-file',
  },
}

/** Interpreters, build tools and what talks to other machines. */
export const BUILD: Readonly<Record<string, ProgramRule>> = {
  node,
  nodejs: node,
  python,
  python3: python,
  python2: python,
  pypy: python,
  pypy3: python,
  bash: {
    ...interpreter('-c -l -i -s -o -O --init-file --rcfile --login --debugger'),
    flags: '--version --help -n -e -u -x -v --norc --noprofile --posix',
    needsOperand: '--version --help',
  },
  sh: {
    ...interpreter('-c -l -i -s -o'),
    flags: '--version --help -n -e -u -x -v',
    needsOperand: '--version',
  },
  perl: interpreter('-e -E -n -p -i -M -m -I -x -d -D -S -F -0 -l -a -C'),
  ruby: interpreter('-e -n -p -i -r -I -x -S -F -0 -l -a -C -K -E'),
  php: interpreter(
    '-r -R -B -E -F -S -d -c -z -a --run --process-code --process-begin --process-end --server --define --php-ini --interactive',
  ),
  deno: {
    flags: '--version -V -h --help -q --quiet',
    subcommands: all('test lint fmt check info doc types task cache', {}),
  },
  bun: {
    flags: '--version -v -h --help',
    subcommands: {
      ...all('test install i add remove rm update outdated pm why link unlink build', {
        refuse: { '-r --preload --require --import': LOADS, '--cwd -c --config': PLACE },
      }),
      run: { operands: ['task', 'any'], closed: true, stops: true, flags: '--silent --bun -b' },
    },
  },
  tsx: interpreter('-e --eval -p --print -r --require --import'),
  'ts-node': interpreter('-e --eval -p --print -r --require --import -i --interactive'),
  ...all('make gmake', {
    closed: true,
    operands: ['target'],
    refuse: { '--eval -E': CODE, '-C --directory': PLACE },
    values: { script: '-f --file --makefile', read: '-I --include-dir' },
    glued: '-j --jobs -l --load-average -O --output-sync',
    flags:
      '-b -m -B --always-make -d --debug -e --environment-overrides -h --help -i --ignore-errors -k --keep-going -n --just-print --dry-run --recon -p --print-data-base -q --question -r --no-builtin-rules -R --no-builtin-variables -s --silent --quiet -S --no-keep-going --stop -t --touch --trace -v --version -w --print-directory --no-print-directory --warn-undefined-variables',
  }),
  go: {
    flags: 'version',
    subcommands: {
      ...all('build test vet list install doc version mod fmt clean get work help', goSub),
      run: { ...goSub, operands: ['script'] },
      env: { singleDash: true, refuse: { '-w --w -u --u': 'it changes the configuration' } },
    },
  },
  cargo: {
    flags: '--version -V --help -h -q --quiet -v --verbose --offline --locked --frozen --list',
    refuse: { '--config -Z': 'it changes the configuration', '-C': PLACE },
    subcommands: all(
      'test t check c clippy build b run r bench doc d fmt tree metadata add remove update fetch search publish new init clean vendor version install uninstall',
      {
        refuse: {
          '--config -Z': 'it changes the configuration',
          '-C': PLACE,
          '--open': RUNS,
        },
      },
    ),
  },
  ...all('gcc g++ cc c++ c89 c99 cpp c89-gcc c99-gcc clang clang++ rustc rustdoc', {
    responseFiles: true,
    refuse: { '-wrapper -fplugin -specs --specs -B -Xclang -load --config': RUNS },
    values: { any: '-I -L -o -T -include -isystem', text: '-l -D -U -x' },
  }),
  javac: {
    singleDash: true,
    responseFiles: true,
    refuse: { '-processorpath --processor-path': LOADS },
  },
  java: {
    responseFiles: true,
    singleDash: true,
    stops: true,
    operands: ['script'],
    needsOperand: '-version --version -jar -m --module',
    refuse: { '-javaagent -agentpath -agentlib': LOADS },
    values: {
      script: '-jar',
      any: '-cp -classpath --class-path -p --module-path',
      text: '-m --module',
    },
  },
  coverage: {
    flags: '--version -h --help',
    subcommands: { run: coverage, ...all('report xml html json lcov combine erase', {}) },
  },
  ninja: { refuse: { '-C': PLACE, '-t': RUNS }, values: { script: '-f' } },
  just: { refuse: { '-c --command --shell --shell-arg': RUNS } },
  ...all('lerna nx', except('exec')),
  ...all('foreman honcho', except('run')),
  ...all('apt apt-get apt-cache aptitude', {
    refuse: { '-o --option -c --config-file': 'its configuration can run programs' },
  }),
  dpkg: { refuse: { '--pre-invoke --post-invoke --status-logger': RUNS } },
  openssl: {
    singleDash: true,
    refuse: { '-engine -provider -provider-path -provider_path -config -pre -post': LOADS },
  },
  'ssh-keygen': { refuse: { '-D -w': LOADS } },
  helm: { ...except('plugin'), refuseWords: { '^--(?:post-renderer|kubeconfig)': RUNS } },
  ...all('mvn mvnw', {
    refuseOperands: { ':': 'a goal by its name runs any plugin; name a phase such as test' },
    refuse: { '-f --file -s --settings -gs --global-settings -t --toolchains': PLACE },
  }),
  ...all('gradle gradlew', {
    refuse: { '-I --init-script -b --build-file -p --project-dir': 'it runs another script' },
  }),
  cmake: { singleDash: true, refuse: { '-E': EXEC }, values: { script: '-P -C' } },
  ...all('tex latex pdftex pdflatex xetex xelatex luatex lualatex latexmk', {
    singleDash: true,
    refuse: {
      '-shell-escape --shell-escape -enable-write18 --enable-write18 -e -r -pdflatex --lua': RUNS,
    },
  }),
  pandoc: {
    refuse: { '-F --filter -L --lua-filter --pdf-engine --pdf-engine-opt -d --defaults': RUNS },
  },
  ctest: { refuse: { '-S --script -SP --script-new-process --build-and-test': RUNS } },
  gh: {
    ...GH,
    subcommands: {
      ...GH.subcommands,
      pr: talk,
      issue: talk,
      release,
      auth: { subcommands: { status: { refuse: { '-t --show-token': SHOWS } } } },
      repo: {
        subcommands: all('clone fork', {
          refuseWords: { '^(?:-c|--(?:upload-pack|config|template))(?:=|$)': RUNS },
        }),
        otherSubcommands: {},
      },
    },
  },
  ...all('docker podman nerdctl kubectl oc', {
    refuseWords: { '^--(?:kube)?config(?:=|$)': 'its configuration can run programs' },
    ...except(
      'exec run create start compose container cp debug attach plugin buildx builder machine unshare alpha edit proxy port-forward service stack context',
    ),
  }),
  curl: {
    permutes: true,
    refuseWords: {
      '%output\\{': 'it writes a file; redirect the output instead',
      '^--(?:variable|expand-)': 'what it expands cannot be judged; write it out',
    },
    refuse: {
      '-K --config': 'it takes its options from a file',
      '--libcurl -c --cookie-jar --trace --trace-ascii --dump-header -D --stderr --etag-save':
        'it writes a file; redirect the output instead',
      '--proto --proto-default --proto-redir --unix-socket --abstract-unix-socket --engine':
        'it leaves HTTP',
    },
    values: {
      text: '-X --request -A --user-agent -e --referer -u --user -m --max-time --connect-timeout --retry -x --proxy --data-raw --form-string -r --range',
      download: '-o --output',
      place: '--output-dir',
      upload: '-T --upload-file',
      read: '--cacert --capath -E --cert --key --netrc-file',
      at: '-w --write-out -H --header -d --data --data-binary --data-urlencode --data-ascii --json -F --form',
      any: '-b --cookie --url',
    },
  },
  wget: {
    permutes: true,
    refuse: {
      '-e --execute --config --use-askpass': RUNS,
      '-i --input-file': 'it takes addresses from a file',
    },
    values: {
      write: '-O --output-document -P --directory-prefix -o --output-file -a --append-output',
      read: '--post-file --body-file --load-cookies --ca-certificate',
      text: '--header -U --user-agent -t --tries -T --timeout --post-data',
    },
  },
  scp: { refuse: { '-S -o -F -J -D': RUNS } },
  sftp: { refuse: { '-S -o -F -b -D -J': RUNS } },
}
