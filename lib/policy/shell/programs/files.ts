import type { ProgramRule } from './rule.ts'
import { all, FOLLOWS, RUNS, UNSEEN } from './shared.ts'

const reads: ProgramRule = { operands: ['read'] }
const writes: ProgramRule = { operands: ['write'] }
const prints: ProgramRule = { prints: 'text' }
const SECRETS = 'it shows the environment of programs'
/** Letters that are options of ps without a dash, and among them the `e`. */
const BSD_E = '^(?=[^e]*e)[acefghjklmnoprstuvwxACHLMNOPSTUVWXZq\\d]*$'

const test: ProgramRule = {
  closed: true,
  singleDash: true,
  noTerminator: true,
  operands: ['any'],
  refuse: { '-v -R': 'it evaluates the index of a variable' },
  flags:
    '-a -b -c -d -e -f -g -h -k -p -r -s -t -u -w -x -G -L -N -O -S -z -n -o -eq -ne -lt -le -gt -ge -nt -ot -ef',
}

/** Builtins and the common programs about files and text. */
export const FILES: Readonly<Record<string, ProgramRule>> = {
  ...all('true false : exit pwd arch nproc tty uptime users groups', { operands: ['text'] }),
  ...all('echo', prints),
  printf: { prints: 'format', refuse: { '-v': 'it assigns a variable' } },
  ...all('test [', test),
  ...all('basename dirname seq sleep expr tr date-text', { operands: ['text'] }),
  ...all('type which whereis hostid whoami id uname', { operands: ['text'] }),
  command: {
    closed: true,
    stops: true,
    requires: '-v -V',
    flags: '-v -V',
    operands: ['text'],
  },
  ...all(
    'cat tac readlink realpath cmp fmt pr expand unexpand rev sum df zcat gzcat bzcat tsort',
    reads,
  ),
  ...all('ls dir vdir', { operands: ['read'], refuse: { '-L --dereference': FOLLOWS } }),
  ptx: { operands: ['read'], maxOperands: 1 },
  ...all('xzcat zstdcat', {
    operands: ['read'],
    refuse: { '--files --files0 --filelist': UNSEEN, '-o --rm': 'it writes or removes files' },
  }),
  ps: {
    operands: ['text'],
    permutes: true,
    refuse: { '-E': SECRETS },
    refuseOperands: { env: SECRETS, [BSD_E]: SECRETS },
    refuseWords: { '^-(?=[A-Za-z]*x)(?=[A-Za-z]*e)': SECRETS },
    values: {
      columns: '-o -O --format',
      text: '-p -u -U -g -G -C -t -s -k -q --pid --ppid --user --sort',
    },
  },
  ...all('head tail', {
    operands: ['read'],
    values: { text: '-n --lines -c --bytes -s --sleep-interval --pid' },
  }),
  cut: {
    operands: ['read'],
    values: {
      text: '-d --delimiter -f --fields -c --characters -b --bytes --output-delimiter',
    },
  },
  paste: { operands: ['read'], values: { text: '-d --delimiters' } },
  join: { operands: ['read'], values: { text: '-t -o -e -a -v -1 -2 -j' } },
  comm: { operands: ['read'], values: { text: '--output-delimiter' } },
  column: {
    operands: ['read'],
    values: { text: '-s --separator -o --output-separator -c -N -R -H' },
    flags: '-t -x -n -e -J --table',
  },
  nl: { operands: ['read'], values: { text: '-b -d -f -h -i -l -n -s -v -w' } },
  fold: { operands: ['read'], values: { text: '-w --width' } },
  stat: { operands: ['read'], values: { text: '-c --format --printf' } },
  od: { operands: ['read'], values: { text: '-A -j -N -S -t' }, glued: '-w --width' },
  hexdump: { operands: ['read'], values: { text: '-e -n -s', read: '-f' } },
  strings: {
    operands: ['read'],
    responseFiles: true,
    values: { text: '-n -t -e -T -s --output-separator' },
  },
  cd: { operands: ['read'] },
  du: { operands: ['read'], refuse: { '--files0-from': UNSEEN, '-L --dereference': FOLLOWS } },
  wc: {
    operands: ['read'],
    flags: '-c -m -l -w -L --bytes --chars --lines --words --max-line-length --version --help',
    refuse: { '--files0-from': UNSEEN },
  },
  file: {
    operands: ['read'],
    refuse: {
      '-f --files-from': UNSEEN,
      '-C --compile': 'it writes a file',
      '-z -Z --uncompress --uncompress-noreport': RUNS,
    },
    values: { any: '-m --magic-file', text: '-F --separator -e --exclude -P' },
  },
  sort: {
    operands: ['read'],
    refuse: {
      '-o --output': 'it writes a file; redirect the output instead',
      '-T --temporary-directory': 'it writes elsewhere',
      '--compress-program': RUNS,
      '--files0-from': UNSEEN,
    },
    values: {
      text: '-k --key -t --field-separator -S --buffer-size --batch-size --parallel --sort',
      read: '--random-source',
    },
    flags:
      '-b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --version-sort --check --merge --stable --unique --zero-terminated --debug --help --version',
  },
  uniq: {
    operands: ['read'],
    maxOperands: 1,
    values: { text: '-f -s -w --skip-fields --skip-chars --check-chars' },
  },
  ...all('sdiff diff3', {
    operands: ['read'],
    joins: 'each',
    refuse: {
      '--diff-program': RUNS,
      '-o --output': 'it writes a file; redirect the output instead',
    },
  }),
  ...all('diff colordiff zdiff bzdiff xzdiff', {
    operands: ['read'],
    joins: 'each',
    refuse: { '-l --paginate': RUNS },
    values: {
      read: '-X --exclude-from --to-file --from-file -S --starting-file',
      text: '-I --ignore-matching-lines --label -W --width -F --show-function-line -x --exclude',
    },
    glued: '-U -C --color --unified --context',
    onlyWith: { '-r --recursive': '--no-dereference' },
  }),
  tree: {
    operands: ['read'],
    refuse: {
      '-R -o': 'it writes files; redirect the output instead',
      '-l': FOLLOWS,
      '--fromfile --fromtabfile': UNSEEN,
    },
    values: { text: '-P -I -L -H -T' },
  },
  date: {
    operands: ['date'],
    refuse: { '-s --set': 'it sets the clock', '-f --file': UNSEEN },
    values: { read: '-r --reference', text: '-d --date' },
    glued: '-I',
    flags: '-u -R --utc --iso-8601 --rfc-3339 --rfc-email',
  },
  hostname: {
    closed: true,
    maxOperands: 0,
    flags: '-s -f -d -i -I --short --fqdn --domain --ip-address',
  },
  xxd: { operands: ['read', 'write'], values: { text: '-l -s -c -g -n -o' } },
  ...all('tee touch mkdir rmdir rm unlink chmod truncate mktemp shred', writes),
  ...all('chown chgrp', {
    operands: ['text', 'write'],
    instead: '--reference',
    values: { read: '--reference' },
    refuse: { '-L -H': FOLLOWS },
  }),
  ...all('cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum shasum', {
    operands: ['read'],
    refuse: { '-c --check': UNSEEN },
  }),
  ...all('base32 base64', {
    operands: ['read'],
    refuse: { '-o --output': 'it writes a file; redirect the output instead' },
  }),
  ...all(
    'ar gcc-ar gcc-nm gcc-ranlib llvm-ar llvm-nm llvm-objdump ranlib nm objdump readelf size addr2line ld as objcopy strip',
    {
      operands: ['write'],
      responseFiles: true,
    },
  ),
  ...all('bat batcat', {
    operands: ['read'],
    refuse: {
      '--pager --paging --lessopen': RUNS,
      '--generate-config-file': 'it writes a file; redirect the output instead',
    },
    refuseOperands: { '^cache$': 'it writes files' },
    values: {
      text: '-l --language --map-syntax --theme --style -r --line-range -H --highlight-line --tabs --wrap --terminal-width --color --decorations --file-name',
    },
  }),
  cp: {
    operands: ['write'],
    joins: 'last',
    refuse: { '-L --dereference -H': FOLLOWS },
    values: { write: '-t --target-directory' },
  },
  mv: writes,
  install: { operands: ['write'], refuse: { '-s --strip --strip-program': RUNS } },
  ...all('ln link', {
    operands: ['write'],
    refuseOperands: {
      '(?:^|/)\\.\\.(?:/|$)': '`..` means another place in a link; use a path without it',
    },
  }),
  split: { operands: ['read', 'write'], refuse: { '--filter': RUNS } },
  csplit: { operands: ['read', 'text'], values: { write: '-f --prefix', text: '-b -n' } },
  dd: { operands: ['any'] },
  ...all('apply_patch applypatch', { closed: true, operands: ['text'] }),
  ...all('patch gpatch', {
    operands: ['write'],
    refuse: { '-e --ed': RUNS, '--follow-symlinks': FOLLOWS },
    values: {
      write: '-o --output -r --reject-file -z --suffix -B --prefix -Y --basename-prefix',
      read: '-i --input',
      place: '-d --directory',
      text: '-p -F -D -V',
    },
  }),
  tar: {
    bundled: true,
    operands: ['write'],
    refuseOperands: {
      '^[^/]*:': 'a name with a colon may mean another machine; write ./name',
      '^@': 'it may be another archive; write ./name',
    },
    refuse: {
      '--to-command --checkpoint-action -I --use-compress-program --rsh-command --rmt-command -F --info-script --new-volume-script':
        RUNS,
      '-T --files-from -X --exclude-from': UNSEEN,
      '-P --absolute-names --absolute-paths': 'it leaves the directory',
      '-h --dereference --keep-directory-symlink': FOLLOWS,
    },
    flags: '-A -B -O -S -a -c -d -i -j -J -k -m -n -o -p -r -s -t -u -v -w -x -z',
    values: {
      archive: '-f --file',
      place: '-C --directory',
      write: '-g --listed-incremental',
      text: '--exclude',
    },
  },
  zip: {
    operands: ['write'],
    onlyWith: { '-r --recurse-paths -R --recurse-patterns': '-y --symlinks' },
    refuse: { '-T --test -TT --unzip-command -TM': RUNS, '-@ --names-stdin': UNSEEN },
    values: {
      write: '-b --temp-path -O --output-file',
      glob: '-i --include',
      text: '-x --exclude',
    },
  },
  unzip: {
    operands: ['write'],
    values: { write: '-d' },
    refuse: { '-: ': 'it leaves the directory' },
  },
  rsync: {
    operands: ['write'],
    refuse: {
      '-e --rsh --rsync-path --daemon --config': RUNS,
      '--files-from --include-from --exclude-from': UNSEEN,
      '-L --copy-links --copy-unsafe-links -K --keep-dirlinks -k --copy-dirlinks': FOLLOWS,
    },
  },
}
