import type { ProgramRule } from './rule.ts'
import { all, FOLLOWS, UNSEEN } from './shared.ts'

const RUNS = 'it runs or feeds another program'

const grep: ProgramRule = {
  closed: true,
  operands: ['text', 'read'],
  instead: '-e --regexp -f --file',
  refuse: { '-R --dereference-recursive': `${FOLLOWS} (-r does not)` },
  values: {
    text: '-e --regexp -m --max-count -A --after-context -B --before-context -C -d --directories -D --devices --binary-files --label --group-separator --exclude --exclude-dir',
    read: '-f --file --exclude-from',
    glob: '--include',
  },
  // With BSD its value is optional, so a word after it may be the pattern.
  glued: '--context',
  flags:
    '-E -F -G -P -i -y -v -w -x -z -s -V -b -n -H -h -o -q -a -I -r -L -l -c -T -Z -U -u --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --null-data --no-messages --version --help --byte-offset --line-number --line-buffered --with-filename --no-filename --only-matching --quiet --silent --text --recursive --files-without-match --files-with-matches --count --initial-tab --null --color --colour --binary --no-group-separator',
}

const rg: ProgramRule = {
  closed: true,
  permutes: true,
  operands: ['text', 'read'],
  instead: '-e --regexp -f --file --files --type-list',
  refuse: {
    '--pre --hostname-bin': RUNS,
    '-z --search-zip': RUNS,
    '-L --follow': FOLLOWS,
    '--pre-glob': RUNS,
  },
  values: {
    text: '-e --regexp -t --type -T --type-not --type-add --type-clear -A --after-context -B --before-context -C --context -m --max-count -d --max-depth --maxdepth -M --max-columns --max-filesize -r --replace --sort --sortr -j --threads -E --encoding --color --colors --engine --dfa-size-limit --regex-size-limit --context-separator --field-context-separator --field-match-separator --path-separator --hyperlink-format --generate',
    read: '-f --file --ignore-file',
    glob: '-g --glob --iglob',
  },
  flags:
    '-i -s -S -v -w -x -F -P --max-columns-preview -U -u -uu -uuu -a -c -l -n -N -o -p -q -H -I -0 -. -b -h -V --ignore-case --case-sensitive --smart-case --invert-match --word-regexp --line-regexp --fixed-strings --pcre2 --multiline --multiline-dotall --unrestricted --text --count --count-matches --files-with-matches --files-without-match --line-number --no-line-number --only-matching --pretty --quiet --with-filename --no-filename --null --null-data --hidden --no-hidden --byte-offset --column --no-column --crlf --debug --files --glob-case-insensitive --heading --no-heading --help --include-zero --json --line-buffered --block-buffered --mmap --no-mmap --no-config --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs --no-messages --no-require-git --no-unicode --no-follow --no-pre --no-search-zip --one-file-system --passthru --passthrough --print0 --stats --trim --type-list --version --vimgrep --pcre2-version --no-context-separator --auto-hybrid-regex --binary --stop-on-nonmatch',
}

const find: ProgramRule = {
  closed: true,
  permutes: true,
  singleDash: true,
  noTerminator: true,
  operands: ['read'],
  refuse: {
    '-exec -execdir -ok -okdir':
      'it runs a program on what it finds; use grep -r or a glob, or name the files',
    '-delete': 'it deletes; use rm on the files themselves',
    '-fls -fprint -fprint0 -fprintf': 'it writes a file; redirect the output instead',
    '-files0-from': UNSEEN,
    '-L -follow': FOLLOWS,
  },
  values: {
    text: '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -size -mtime -atime -ctime -mmin -amin -cmin -maxdepth -mindepth -perm -user -group -uid -gid -printf -fstype -links -inum -used -context -newermt -newerat -newerct -newerBt -D',
    read: '-newer -anewer -cnewer -samefile -newermm -newerma -newermc -neweram -neweraa -newerac -newercm -newerca -newercc',
  },
  flags:
    '-H -P -O0 -O1 -O2 -O3 -print -print0 -ls -prune -quit -o -or -a -and -not -true -false -empty -readable -writable -executable -depth -d -mount -xdev -daystart -noleaf -ignore_readdir_race -noignore_readdir_race -nouser -nogroup -warn -nowarn -help --help -version --version',
}

const fd: ProgramRule = {
  closed: true,
  permutes: true,
  operands: ['text', 'read'],
  refuse: { '-x --exec -X --exec-batch': RUNS, '-L --follow': FOLLOWS },
  values: {
    text: '-t --type -e --extension -d --max-depth --maxdepth --min-depth --exact-depth -E --exclude -S --size --changed-within --changed-before -o --owner -c --color -j --threads --max-results --format --and --batch-size',
    read: '--search-path --ignore-file',
    place: '--base-directory -C',
  },
  flags:
    '-H -I -u -s -i -g -F -a -l -p -0 -1 -q -h -V --hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --list-details --full-path --print0 --prune --quiet --show-errors --one-file-system --strip-cwd-prefix --help --version',
}

/** Programs whose arguments are patterns or small programs before they are paths. */
export const SEARCH: Readonly<Record<string, ProgramRule>> = {
  grep,
  ...all('egrep fgrep rgrep zgrep zegrep zfgrep bzgrep xzgrep lzgrep zstdgrep', grep),
  rg,
  find,
  fd,
  fdfind: fd,
  sed: {
    closed: true,
    operands: ['sed', 'read'],
    instead: '-e --expression',
    refuse: {
      '-i --in-place': 'it changes files in place; use an edit tool',
      '-f --file': 'it runs a script from a file',
    },
    values: { sed: '-e --expression' },
    flags:
      '-n -E -r -s -u -z --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --debug --sandbox --help --version',
  },
  ...Object.fromEntries(
    ['awk', 'gawk', 'mawk', 'nawk', 'original-awk'].map((name): [string, ProgramRule] => [
      name,
      {
        closed: true,
        operands: ['awk', 'any'],
        stops: true,
        values: { text: '-F -v --field-separator --assign' },
        flags: '--version --posix --sandbox',
      },
    ]),
  ),
  jq: {
    closed: true,
    permutes: true,
    operands: ['jq', 'read'],
    refuse: { '-f --from-file -L': 'it reads code from a file' },
    pairs: { text: '--arg --argjson', read: '--slurpfile --rawfile --argfile' },
    values: { text: '--indent' },
    flags:
      '-c -n -e -s -r -R -j -a -S -C -M -h -V --compact-output --null-input --exit-status --slurp --raw-output --raw-output0 --raw-input --join-output --ascii-output --sort-keys --color-output --monochrome-output --tab --unbuffered --stream --stream-errors --seq --args --jsonargs --help --version',
  },
}
