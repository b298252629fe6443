import { deadlines, defaults, dispatch, guards, intake, signal, waiting } from './overhead.ts'
import { five, ten } from './peers.ts'
import { audit, globs, hooks, paths, shell } from './policies.ts'
import type { Suite } from './runner.ts'

/** Every suite, in the order in which they run. */
export const suites: readonly Suite[] = [
  ...dispatch,
  defaults,
  ten,
  five,
  ...waiting,
  signal,
  intake,
  deadlines,
  guards,
  paths,
  shell,
  globs,
  hooks,
  audit,
]

/** What is published in a table of its own. */
export const policySuites: readonly string[] = [paths, shell, globs, hooks, audit].map(
  (suite) => suite.name,
)

/** Suites that `--suite` can name together. */
export const groups: Readonly<Record<string, readonly string[]>> = {
  dispatch: dispatch.map((suite) => suite.name),
  policies: policySuites,
}
