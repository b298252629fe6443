/** Each name alone, and with anything after it. */
function open(...names: readonly string[]): string[] {
  return names.flatMap((name) => [name, `${name} *`])
}

/** Each of the arguments after the command, alone and with more after it. */
function each(command: string, args: string): string[] {
  return open(...args.split(' ').map((arg) => `${command} ${arg}`))
}

const READ_FILES =
  'cat head tail tac nl ls dir tree stat file wc du df basename dirname realpath readlink diff cmp comm cut paste join column fold fmt expand unexpand rev sort uniq tr od hexdump strings base64 cksum md5sum sha1sum sha256sum sha512sum b2sum shasum'
const SEARCH = 'grep egrep fgrep rg find fd sed awk jq'
const SHELL = 'echo printf true false : pwd cd test [ exit sleep seq expr date which type'
const MACHINE = 'whoami id hostname uname arch nproc uptime ps free'
const READ_GIT =
  'status log diff show blame grep shortlog describe rev-parse rev-list ls-files ls-tree cat-file name-rev merge-base for-each-ref show-ref show-branch cherry range-diff diff-tree diff-index diff-files whatchanged count-objects check-ignore check-attr var'
const SCRIPTS =
  'test test:* lint lint:* check check:* typecheck typecheck:* type-check build build:* format:check'

/** Lists for `allowedShellCommandGlobs`. */
export const shellPresets: {
  /**
   * What a coding agent runs to look around and to check its work: programs that read, git's reading
   * subcommands, versions, and the project's own test, lint, type check and build commands (which run the
   * project's code). No installs and no commits; `npm view`, `outdated` and `audit` ask the registry. Output may still be redirected to files;
   * with `workspaceOnly`, to files inside.
   */
  readonly readOnlyDev: readonly string[]
} = {
  readOnlyDev: [
    ...open(...`${READ_FILES} ${SEARCH} ${SHELL} ${MACHINE}`.split(' ')),
    ...each('command', '-v -V'),
    ...each('git', READ_GIT),
    ...each('git --no-pager', 'status log diff show blame grep'),
    'git branch',
    ...'-a -r -v -vv -av --all --show-current'.split(' ').map((flag) => `git branch ${flag}`),
    ...each('git branch', '--list --contains --merged --no-merged'),
    'git tag',
    ...each('git tag', '-l -n --list --contains --points-at'),
    'git remote',
    'git remote -v',
    ...open('git remote get-url'),
    'git reflog',
    ...each('git reflog', 'show -n'),
    ...each('git stash', 'list show'),
    ...each('git config', '--get --get-all --get-regexp --list -l'),
    ...open('git worktree list', 'git submodule status', 'git bisect log'),
    ...'git -h|git --version|git version|git symbolic-ref HEAD|git symbolic-ref --short HEAD'.split(
      '|',
    ),
    ...each('npm', 'test t ls list view info outdated explain why root prefix'),
    ...['pnpm', 'yarn', 'bun'].flatMap((runner) => each(runner, 'test list why outdated')),
    'npm run',
    'pnpm run',
    'yarn run',
    ...scripts('npm run'),
    ...scripts('pnpm run'),
    ...scripts('pnpm'),
    ...scripts('yarn run'),
    ...scripts('yarn'),
    ...scripts('bun run'),
    'npm audit',
    'npm audit --json',
    ...open('npm pack --dry-run'),
    ...open('node --check', 'node --test', 'tsc --noEmit'),
    ...open('pytest', 'python -m pytest', 'python3 -m pytest', 'python -m unittest'),
    ...each('cargo', 'test check clippy build tree metadata'),
    ...open('cargo fmt --check'),
    ...each('go', 'test vet build list version doc'),
    'gofmt -l .',
    'gofmt -d .',
    ...'test check lint build'.split(' ').map((target) => `make ${target}`),
    ...'node npm npx pnpm yarn bun deno tsc python python3 pip ruby cargo rustc rustup go java javac gcc clang make cmake docker jq rg bash'
      .split(' ')
      .map((name) => `${name} --version`),
    'node -v',
    'tsc -v',
    'npm -v',
    'java -version',
  ],
}

function scripts(runner: string): string[] {
  return each(runner, SCRIPTS)
}
