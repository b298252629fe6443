/** One row of the table: `contender` over `base`, both of one suite, should be at most `target`. */
export interface Gate {
  readonly row: string
  readonly suite: string
  readonly contender: string
  readonly base: string
  /** Left out: published only. */
  readonly target?: number
}

/** Bare is `await tool()` where the tool keeps its context. */
export const gates: readonly Gate[] = [
  gate('empty pipeline, `wrap`, to bare', 'wrap', 'wrap, no hooks', 'bare', 1.6),
  gate('empty pipeline, `execute`, to bare', 'execute', 'execute, no hooks', 'bare', 2.8),
  gate('1 sync hook to bare', 'sync-1', '1 sync hook', 'bare', 3.6),
  gate('5 sync hooks to bare', 'sync-5', '5 sync hooks', 'bare', 4.8),
  gate('10 sync hooks to bare', 'sync-10', '10 sync hooks', 'bare', 6.8),
  gate(
    '5 sync hooks, all defaults, 100 bytes of params, to bare',
    'defaults',
    '5 sync hooks, defaults',
    'bare',
    12,
  ),
  gate(
    '10 sync hooks to koa-compose with 10 no-ops',
    'ten',
    '10 sync hooks',
    'koa-compose, 10 no-ops',
    0.45,
  ),
  gate(
    '10 sync hooks to a hand-written await loop',
    'ten',
    '10 sync hooks',
    'await loop, 10 sync hooks',
    0.35,
  ),
  gate('10 sync hooks to tapable', 'ten', '10 sync hooks', 'tapable, 10 sync taps'),
  gate('5 sync hooks to hookable', 'five', '5 sync hooks', 'hookable, 5 sync hooks', 0.12),
  gate(
    '10 async hooks to a hand-written await loop, deadlines off',
    'async-free',
    '10 async hooks, no deadlines',
    'await loop, 10 async hooks',
    1.35,
  ),
  gate(
    '10 async hooks to a hand-written await loop, deadlines on',
    'async',
    '10 async hooks, deadlines',
    'await loop, 10 async hooks',
    1.75,
  ),
  gate(
    '5 sync hooks with a caller signal to without',
    'signal',
    '5 sync hooks, caller signal',
    '5 sync hooks',
    2.2,
  ),
  gate(
    'intake of 1 KB nested params to `structuredClone`',
    'intake',
    'intake, 1 KB',
    'structuredClone, 1 KB',
    0.7,
  ),
  gate(
    'intake of 100 KB nested params to `structuredClone`',
    'intake',
    'intake, 100 KB',
    'structuredClone, 100 KB',
    0.7,
  ),
  gate(
    'deadlines on 10 sync hooks to none',
    'deadlines',
    '10 sync hooks, deadlines',
    '10 sync hooks, no deadlines',
    1.1,
  ),
  gate('deadline per pending promise to p-timeout', 'guards', 'shared wheel', 'p-timeout', 0.02),
  gate('path policy on `src/index.ts` to one `lstat`', 'paths', 'path policy', 'lstat'),
  gate(
    'path policy, 10 forbidden globs, to one `lstat`',
    'paths',
    'path policy, 10 forbidden globs',
    'lstat',
  ),
  gate('`autonomy().check`, the same rules, to one `lstat`', 'paths', 'autonomy', 'lstat'),
  gate('`contractScope().check`, one path, to one `lstat`', 'paths', 'contractScope', 'lstat'),
  gate(
    '`git log` with flags, warm, list of 10, no paths, to a parse',
    'shell',
    'warm, no paths',
    'parse',
  ),
  gate('`git log` with flags, warm, list of 10, to a parse', 'shell', 'warm', 'parse'),
  gate('the same against `readOnlyDev`, to a parse', 'shell', 'warm, preset', 'parse'),
  gate('a text never seen before, list of 10, to a parse', 'shell', 'cold', 'parse'),
  gate('10 path globs to 1, same directory', 'globs', '10 path globs', '1 path globs'),
  gate('100 path globs to 1, same directory', 'globs', '100 path globs', '1 path globs'),
  gate(
    '10 path globs to 1',
    'globs',
    '10 path globs, new directory',
    '1 path globs, new directory',
  ),
  gate(
    '100 path globs to 1',
    'globs',
    '100 path globs, new directory',
    '1 path globs, new directory',
  ),
  gate('10 command globs to 1', 'globs', '10 command globs', '1 command globs'),
  gate('100 command globs to 1', 'globs', '100 command globs', '1 command globs'),
  gate('a call with `autonomy`, defaults on, to none', 'hooks', 'autonomy', 'no hooks'),
  gate('a call with `contractScope` to none', 'hooks', 'contractScope', 'no hooks'),
  gate('a call with `rateLimit` per sender to none', 'hooks', 'rateLimit', 'no hooks'),
  gate(
    'a call with `auditLog`, default logger, to none',
    'audit',
    'audit, default logger',
    'no hooks',
  ),
  gate('a call with `auditLog` to a file, to none', 'audit', 'audit, file', 'no hooks'),
  gate('a call with `auditLog`, hash chain, to none', 'audit', 'audit, chain', 'no hooks'),
]

/** Rows of the table that this machine cannot measure, and why. */
export const notMeasured: ReadonlyArray<{ readonly row: string; readonly reason: string }> = [
  {
    row: '5 sync hooks to LangChain `wrapToolCall`',
    reason: '`langchain` is not a dependency of this repository',
  },
  {
    row: '5 sync hooks to OpenAI Agents guardrails',
    reason: '`@openai/agents` is not a dependency of this repository',
  },
]

/** How far above its target a ratio may be on a machine that is not ours. */
export const TOLERANCE = 1.25

function gate(row: string, suite: string, contender: string, base: string, target?: number): Gate {
  return target === undefined
    ? { row, suite, contender, base }
    : { row, suite, contender, base, target }
}
