import { deadlines, defaults, dispatch, guards, intake, signal, waiting } from './overhead.ts'
import { five, ten } from './peers.ts'
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
]
