import type { ProgramRule } from './rule.ts'
import { UNSEEN } from './shared.ts'

const RUNS = 'it runs a program from its value or from the configuration'
const WRITES = 'it writes a file; redirect the output instead'

const CHANGES = 'it takes back what makes this command read only'

const common: ProgramRule['refuse'] = {
  '--help': 'it opens a manual; use -h',
  '--pathspec-from-file': UNSEEN,
}

const plain: ProgramRule = { permutes: true, operands: ['git'], refuse: common }

/** A rule for a subcommand that talks about revisions and paths. */
function git(more: ProgramRule): ProgramRule {
  return { permutes: true, operands: ['git'], ...more, refuse: { ...common, ...more.refuse } }
}

const diffValues =
  '-S -G --author --committer --grep --grep-reflog --since --after --until --before --date -n --max-count --skip --src-prefix --dst-prefix --line-prefix --inter-hunk-context -I --ignore-matching-lines --word-diff-regex --decorate-refs --decorate-refs-exclude --glob --exclude --encoding --stat-width --stat-name-width --stat-count --output-indicator-new --output-indicator-old --output-indicator-context --ws-error-highlight --diff-algorithm --anchored -l --min-parents --max-parents'
const diffGlued =
  '-U --unified -M -C -B -X -D --format --pretty --branches --tags --remotes --notes --show-notes --submodule --decorate --stat --word-diff --diff-filter --color --color-words --color-moved --color-moved-ws --abbrev --ignore-submodules --find-renames --find-copies --break-rewrites --dirstat --exclude-hidden --max-age --min-age --since-as-filter --left-right --no-walk'
const diffFlags =
  '--text --oneline --summary --no-ext-diff --no-textconv --no-prefix --no-index --exit-code --extended-regexp --find-copies-harder --ignore-space-change --ignore-space-at-eol --ignore-all-space --ignore-blank-lines --no-notes --no-color --no-decorate --no-abbrev --abbrev-commit --all --relative --merge --merges'

/** `diff`, `log`, `show` and what takes their flags. */
const diff = git({
  refuse: { '--output': WRITES, '--ext-diff --textconv': RUNS, '--stdin': UNSEEN },
  flags: diffFlags,
  values: { text: diffValues, lines: '-L', read: '-O --skip-to --rotate-to' },
  glued: diffGlued,
})

const message = { text: '-m --message', read: '-F --file' }
const transport: ProgramRule['refuse'] = { '--upload-pack --receive-pack --exec': RUNS }

/** Subcommands of git that may run. Any other one, so any alias and extension, is refused. */
const subcommands: Readonly<Record<string, ProgramRule>> = {
  ...Object.fromEntries(
    'diff log show whatchanged reflog diff-tree diff-index diff-files range-diff'
      .split(' ')
      .map((name) => [name, diff]),
  ),
  ...Object.fromEntries(
    'status rev-parse ls-files ls-tree name-rev merge-base show-ref symbolic-ref show-branch cherry count-objects fsck check-ignore check-attr verify-commit verify-tag checkout switch reset rm mv gc prune restore read-tree write-tree merge-tree diff-pairs mktree unpack-file var version add'
      .split(' ')
      .map((name) => [name, plain]),
  ),
  'format-patch': git({ ...diff, values: { ...diff.values, write: '-o --output-directory' } }),
  'rev-list': git({ ...diff, refuse: { ...diff.refuse, '--use-bitmap-index': UNSEEN } }),
  shortlog: git({
    refuse: { '--output': WRITES },
    flags: '-n -s -e -c',
    glued: '-w --format --group',
  }),
  stash: git({
    ...diff,
    flags: `${diffFlags} -a -k -p -q -u`,
    values: { ...diff.values, text: `${diffValues} -m --message` },
  }),
  blame: git({
    refuse: diff.refuse ?? {},
    values: {
      lines: '-L',
      read: '--contents -S --ignore-revs-file',
      text: '--ignore-rev --date --since',
    },
    glued: '-M -C --abbrev',
  }),
  grep: git({
    refuse: { '-O --open-files-in-pager': RUNS, '--textconv --ext-grep': RUNS },
    closed: true,
    operands: ['text', 'git'],
    instead: '-e -f',
    values: {
      text: '-e -A -B -C -m --after-context --before-context --context --max-count --max-depth --threads',
      read: '-f',
    },
    flags:
      '-E -F -G -P -i -I -v -w -n -l -L -c -o -h -H -z -p -W -q -a -r -s --and --or --not --all-match --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --invert-match --word-regexp --line-number --files-with-matches --name-only --files-without-match --count --only-matching --show-function --function-context --quiet --text --cached --untracked --no-index --no-exclude-standard --exclude-standard --recurse-submodules --recursive --no-recursive --color --no-color --column --break --heading --full-name --null --no-textconv',
  }),
  'cat-file': git({
    refuse: { '--textconv --filters': RUNS, '--batch --batch-check --batch-command': UNSEEN },
  }),
  describe: git({ values: { text: '--match --exclude --candidates' }, glued: '--abbrev' }),
  branch: git({
    refuse: { '--no-list': CHANGES },
    values: { text: '--format --sort -u --set-upstream-to' },
  }),
  tag: git({
    refuse: { '--no-points-at': CHANGES },
    values: { ...message, text: '-m --message -u --local-user --format --sort --cleanup' },
    flags: '-a -d -e -f -l -s -v --annotate --delete --edit --force --list --sign --verify',
  }),
  'for-each-ref': git({
    values: { text: '--format --sort --count' },
    refuse: { '--stdin': UNSEEN },
  }),
  commit: git({
    values: {
      text: '-m --message --author --date --trailer --cleanup -C -c --reuse-message --reedit-message --fixup --squash',
      read: '-F --file -t --template',
    },
    glued: '-S -u',
    flags:
      '-a -e -i -n -o -p -q -s -v -z --all --edit --no-edit --amend --no-verify --quiet --signoff --verbose --allow-empty --allow-empty-message --dry-run --only --include --patch --reset-author --short --long --no-gpg-sign',
  }),
  merge: git({
    flags: '-e -n -q -v',
    values: { ...message, text: '-m --message -s --strategy -X --strategy-option' },
  }),
  'cherry-pick': git({ values: { text: '-m --mainline -X --strategy-option --strategy' } }),
  revert: git({ values: { text: '-m --mainline -X --strategy-option --strategy' } }),
  rebase: git({
    refuse: { '-x --exec -i --interactive': RUNS },
    values: { text: '-s --strategy -X --strategy-option', git: '--onto' },
  }),
  notes: git({ values: message }),
  am: git({ operands: ['read'], values: { place: '--directory' } }),
  apply: git({
    refuse: { '--unsafe-paths': 'it lets a patch leave the work tree' },
    operands: ['read'],
    values: {
      place: '--directory',
      write: '--build-fake-ancestor',
      glob: '--include --exclude',
    },
  }),
  archive: git({
    refuse: { '--exec --remote': RUNS },
    values: { write: '-o --output', text: '--format --prefix', read: '--add-file' },
  }),
  bundle: git({ refuse: { '--stdin': UNSEEN } }),
  clean: git({ values: { text: '-e --exclude' } }),
  'hash-object': git({ operands: ['read'], refuse: { '--stdin-paths': UNSEEN } }),
  init: git({ refuse: { '--template': RUNS }, values: { write: '--separate-git-dir' } }),
  clone: git({
    refuse: { ...transport, '-u -c --config --template': RUNS },
    values: { text: '-b --branch -o --origin --depth', write: '--separate-git-dir' },
  }),
  fetch: git({ refuse: transport }),
  pull: git({ refuse: transport, values: { text: '-s --strategy -X --strategy-option' } }),
  push: git({ refuse: transport, values: { text: '-o --push-option' } }),
  'ls-remote': git({ refuse: transport }),
  remote: plain,
  worktree: plain,
  config: git({
    closed: true,
    stops: true,
    flags:
      '-z --null --name-only --show-origin --show-scope --includes --no-includes --global --system --local --worktree --bool --int --bool-or-int --bool-or-str --path --expiry-date --get --get-all --get-regexp --get-urlmatch --list -l',
    values: { text: '--type --default' },
    requires: '--get --get-all --get-regexp --get-urlmatch --list -l',
    alone: true,
    refuse: {
      '-f --file --blob': 'it reads another file; use cat',
      '-e --edit --add --unset --unset-all --replace-all --rename-section --remove-section':
        'changing the configuration can make git run programs',
    },
    refuseOperands: {
      '^(?:edit|set|unset|rename-section|remove-section)$':
        'changing the configuration can make git run programs',
    },
    operands: ['text'],
  }),
  submodule: { subcommands: { status: plain, summary: plain, init: plain, sync: plain } },
  bisect: {
    subcommands: Object.fromEntries(
      'start good bad new old skip reset log terms'.split(' ').map((name) => [name, plain]),
    ),
  },
}

export const GIT: ProgramRule = {
  refuse: {
    '-c --config-env --exec-path': RUNS,
    '-C --git-dir --work-tree --namespace --super-prefix': 'it works in another place; use cd',
    '-p --paginate': RUNS,
  },
  flags:
    '-P --no-pager --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-replace-objects --version -v --help -h --html-path --man-path --info-path',
  subcommands,
}
