import type { ProgramRule } from './rule.ts'
import { all, CODE, EXEC, except, FOLLOWS, LOADS, RUNS, refused, UNSEEN } from './shared.ts'

const ENTITIES = 'the document could name other files, which it reads; leave it out'

const sevenZip: ProgramRule = {
  responseFiles: true,
  refuse: { '-spf -spf2': 'it leaves the directory' },
  refuseWords: { '^-(?:ai|ax|i|x)[^!]*@': UNSEEN },
}

/** Programs that people install beside the usual ones, with flags that run, load, follow, or take names from files. */
export const TOOLS: Readonly<Record<string, ProgramRule>> = {
  ag: {
    permutes: true,
    operands: ['text', 'read'],
    instead: '-g',
    refuse: { '--pager': RUNS, '-f --follow': FOLLOWS },
    values: {
      text: '-g -G --file-search-regex --ignore --ignore-dir -A --after -B --before -C --context -m --max-count --depth -W --width --workers',
      read: '-p --path-to-ignore',
    },
  },
  ack: {
    permutes: true,
    operands: ['text', 'read'],
    instead: '-f --match',
    refuse: {
      '--pager': RUNS,
      '--follow': FOLLOWS,
      '--files-from -x': UNSEEN,
      '--ackrc': 'it takes its options from a file',
    },
    values: {
      text: '--match -A --after-context -B --before-context -C --context -m --max-count -t --type -T --range-start --range-end',
    },
  },
  cloc: {
    refuse: {
      '--extract-with': RUNS,
      '--config': 'it takes its options from a file',
      '--list-file --diff-list-file --diff-list-files': UNSEEN,
      '--follow-links': FOLLOWS,
    },
    refuseWords: { '^--vcs?(?:$|=(?!(?:git|svn|auto)$))': RUNS },
  },
  ctags: {
    refuse: {
      '-L --filter': UNSEEN,
      '--options --options-maybe --optlib-dir': 'it takes its options from a file',
    },
  },
  'clang-format': { singleDash: true, refuse: { '-files --files': UNSEEN } },
  'clang-tidy': {
    singleDash: true,
    responseFiles: true,
    refuse: {
      '-load --load': LOADS,
      '-extra-arg --extra-arg -extra-arg-before --extra-arg-before': RUNS,
    },
  },
  cppcheck: { refuse: { '--addon --addon-python --clang': RUNS, '--file-list': UNSEEN } },
  shellcheck: { refuse: { '-a --check-sourced': 'it shows files that the script names' } },
  ...all('phpcs phpcbf', { refuse: { '--file-list': UNSEEN } }),
  rubocop: { refuse: { '-r --require --plugin': LOADS } },
  rails: except('runner r console c dbconsole db'),
  mix: {
    ...except('eval cmd do'),
    subcommands: {
      ...all('eval cmd do', refused(EXEC)),
      run: { refuse: { '-e --eval -r --require -pr --parallel-require': CODE } },
    },
  },
  dotnet: {
    responseFiles: true,
    ...except('exec fsi script', '--version --info --list-sdks -h --help'),
  },
  protoc: { responseFiles: true, refuse: { '--plugin': RUNS } },
  bazel: {
    operands: ['label'],
    refuseWords: {
      '^--(?:run_under|bazelrc|host_jvm_args|server_javabase)(?:=|$)': RUNS,
      '^--$': 'what follows cannot be told from labels; leave it out',
    },
  },
  exiftool: {
    singleDash: true,
    refuse: {
      '-@ -argFile': 'it takes its options from a file',
      '-config -if -execute -stay_open -userParam': CODE,
    },
  },
  ...all('convert magick mogrify identify montage composite', {
    refuseWords: { '(?:^|:)\\|': RUNS },
  }),
  ...all('7z 7za 7zr', {
    subcommands: {
      ...all('a u', refused('it stores what links lead to; use tar, or zip with -y')),
      ...all('b d e h i l rn t x', sevenZip),
    },
  }),
  xmllint: {
    singleDash: true,
    refuse: {
      '-shell --shell': CODE,
      '-noent --noent -xinclude --xinclude -noxincludenode --noxincludenode -valid --valid -loaddtd --loaddtd -dtdattr --dtdattr':
        ENTITIES,
    },
    values: { text: '-xpath --xpath -pattern --pattern -encode --encode' },
  },
  ...all('zstd unzstd zstdmt', { operands: ['write'], refuse: { '--filelist': UNSEEN } }),
  ...all('xz unxz lzma unlzma', { operands: ['write'], refuse: { '--files --files0': UNSEEN } }),
}
