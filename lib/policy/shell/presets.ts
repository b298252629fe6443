/** Each name alone, and with anything after it. */
function open(...names: readonly string[]): string[] {
  return names.flatMap((name) => [name, `${name} *`])
}

/** Each flag with each target, in both orders. */
function crossed(command: string, flags: string, targets: string): string[] {
  return flags
    .split(' ')
    .flatMap((flag) =>
      targets
        .split(' ')
        .flatMap((target) => [`${command} ${flag} ${target}`, `${command} ${target} ${flag}`]),
    )
}

/** Each of the arguments after the command, alone and with more after it. */
function each(command: string, args: string): string[] {
  return open(...args.split(' ').map((arg) => `${command} ${arg}`))
}

const READ_FILES =
  'cat head tail tac nl ls dir tree stat file wc du df basename dirname realpath readlink diff cmp comm cut paste join column fold fmt expand unexpand rev sort uniq tr od hexdump strings base64 cksum md5sum sha1sum sha256sum sha512sum b2sum shasum zcat xxd tee'
const SEARCH = 'grep egrep fgrep rg find fd fdfind sed awk jq'
const SHELL = 'echo printf true false : pwd cd test [ exit sleep seq expr date which type'
const MACHINE = 'whoami id hostname uname arch nproc uptime ps free'
const READ_GIT =
  'status log diff show blame grep shortlog describe rev-parse rev-list ls-files ls-tree cat-file name-rev merge-base for-each-ref show-ref show-branch cherry range-diff diff-tree diff-index diff-files whatchanged count-objects check-ignore check-attr var'
/** What checks a project, as it is called without `npx`; all but types and formats may take any argument. */
const CHECKS =
  'tsc --noEmit|tsc -p tsconfig.json --noEmit|vue-tsc --noEmit|vitest run|vitest --run|vitest list|jest|mocha|ava|eslint|prettier --check|prettier -c|prettier -l|stylelint|biome check|biome lint|biome ci|oxlint|knip|publint|markdownlint|cspell'.split(
    '|',
  )
const CHECKERS =
  'tsc vue-tsc vitest jest mocha ava eslint prettier stylelint biome oxlint knip publint'.split(' ')
const SCRIPTS =
  'test test:* lint lint:* check check:* typecheck typecheck:* type-check build build:* format:check coverage tsc'
const TARGETS = 'test check lint typecheck build help'

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
    ...each('git -P', 'status log diff show blame grep'),
    ...each('git --no-optional-locks', 'status diff log'),
    ...'branch|branch -a|tag|stash list'.split('|').map((command) => `git --no-pager ${command}`),
    'git branch',
    'git branch -l',
    'git branch --sort=-committerdate',
    'git tag --sort=-creatordate',
    'git tag --sort=-v:refname',
    ...'-a -r -v -vv -av --all --show-current'.split(' ').map((flag) => `git branch ${flag}`),
    ...each('git branch', '--list --contains --merged --no-merged'),
    'git tag',
    ...each('git tag', '-l -n --list --contains --points-at'),
    'git remote',
    'git remote -v',
    ...open('git remote get-url'),
    'git reflog',
    ...each('git reflog', 'show -n'),
    'git reflog -*',
    'git submodule',
    ...each('git stash', 'list show'),
    ...each('git config', '--get --get-all --get-regexp --list -l'),
    ...'user.name user.email remote.origin.url init.defaultBranch core.hooksPath'
      .split(' ')
      .map((name) => `git config ${name}`),
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
    ...scripts('npm run -s'),
    ...scripts('npm run --silent'),
    ...scripts('pnpm run'),
    ...scripts('pnpm'),
    ...scripts('pnpm -r'),
    ...scripts('yarn run'),
    ...scripts('yarn'),
    ...scripts('bun run'),
    'npm audit',
    'npm audit --json',
    'npm pack --dry-run',
    'npm pack --dry-run --json',
    ...open('node --check', 'node --test', 'node --experimental-strip-types --test'),
    ...['', 'npx ', 'npx --no-install ', 'pnpm ', 'pnpm exec ', 'yarn ', 'yarn exec '].flatMap(
      (runner) => CHECKS.flatMap((check) => open(runner + check)),
    ),
    ...CHECKERS.flatMap((name) => [`${name} --version`, `npx ${name} --version`]),
    ...open(
      'pytest',
      'mypy',
      'ruff check',
      'ruff format --check',
      'ruff format --diff',
      'black --check',
      'black --diff',
      'pyright',
      'golangci-lint run',
      'flake8',
      'pylint',
    ),
    ...open('isort --check-only', 'isort --check'),
    ...['python', 'python3'].flatMap((python) =>
      open(
        ...'pytest unittest mypy pylint json.tool py_compile flake8'
          .split(' ')
          .map((module) => `${python} -m ${module}`),
        `${python} -m ruff check`,
        `${python} -m black --check`,
      ),
    ),
    ...each('cargo', 'test check clippy build tree metadata bench doc'),
    ...open('cargo fmt --check', 'cargo fmt -- --check', 'cargo fmt --all --check'),
    'cargo fmt --all -- --check',
    ...open('rustc --explain'),
    ...each('go', 'test vet build list version doc env'),
    ...each('go mod', 'graph why verify'),
    'gofmt -l .',
    'gofmt -d .',
    ...TARGETS.split(' ').map((target) => `make ${target}`),
    ...crossed('make', '-j -j2 -j4 -j8 -j16 -s -k -B -n', TARGETS),
    ...'mvn test|mvn -q test|./mvnw test|gradle test|./gradlew test|./gradlew check|./gradlew build'.split(
      '|',
    ),
    ...'dotnet build|dotnet test|pip list|pip freeze'.split('|'),
    ...open('pip show', 'unzip -l'),
    ...each('tar', 'tf tvf tzf tzvf -tf -tvf -tzf -tzvf'),
    ...'node npm npx pnpm yarn bun deno tsc python python3 pip ruby cargo rustc rustup go java javac gcc clang make cmake docker jq rg bash gh uv dotnet git'
      .split(' ')
      .map((name) => `${name} --version`),
    ...'python -V|python3 -V|ruby -v|php -v|node -h|npm -h|tsc --help|cargo --help|make --help|make -h'.split(
      '|',
    ),
    ...open('go help'),
    'node -v',
    'tsc -v',
    'npm -v',
    'java -version',
  ],
}

function scripts(runner: string): string[] {
  return each(runner, SCRIPTS)
}
