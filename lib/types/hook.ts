import type { MaybePromise } from './call.ts'
import type { HookContext } from './context.ts'
import type { Outcome } from './outcome.ts'
import type { Answer, Opinion } from './verdict.ts'

/** Why a handler gave no answer: it threw, or was late. */
export type FailureCause = 'error' | 'timeout'

/** What hooks of every shape can say of themselves. */
export interface HookOptions {
  /** In the text of a denial, in audit and in logs. */
  readonly name: string
  /** Causes that let the call go on when `check` or `before` fails. Default: none, it blocks. */
  readonly failOpen?: readonly FailureCause[] | undefined
  /** Per handler, for `check`, `before` and `resolveExecEnv`. Default `beforeTimeoutMs` of the pipeline. */
  readonly timeoutMs?: number | undefined
  /** `after` and `skipped` are never awaited; `close()` drains them. */
  readonly detached?: boolean | undefined
  /** Called by `app.close()`, once. */
  close?(): unknown
  /**
   * Environment variables for the tool. Called at the gate, after the way in and before approval; of several
   * hooks the later ones win per name. The frozen result is `ctx.execEnv`.
   */
  resolveExecEnv?(ctx: HookContext): MaybePromise<Readonly<Record<string, string>> | undefined>
}

/** Something whose hooks may change, such as a plugin host. Calls use the hooks that were current when they began. */
export interface HookSource {
  readonly name?: string | undefined
  hooks(): readonly AnyHook[]
  /** Calls the listener whenever `hooks()` would answer anew. */
  onChange?(listener: () => void): unknown
  close?(): unknown
}

interface Phases {
  /** Pure: deny, ask or nothing. Runs again when the params changed after it answered. */
  check(ctx: HookContext): MaybePromise<Opinion>
  /** Once per call; may also rewrite. */
  before(ctx: HookContext): MaybePromise<Answer>
  /** Once, if the tool ran or was answered for. Can harm nothing. */
  after(ctx: HookContext, outcome: Outcome): unknown
  /** Once, if the tool did not run. Can harm nothing. */
  skipped(ctx: HookContext, outcome: Outcome): unknown
}

interface PlainPhases {
  /** Judges the call: `false` denies. Runs again when the params changed, unless `once`. */
  beforeExecute(
    toolName: string,
    argumentsJson: string,
    signal: AbortSignal,
  ): boolean | PromiseLike<boolean>
  /** `result` is text: a string as it is, other values as JSON, `''` for undefined. */
  afterExecute(
    toolName: string,
    argumentsJson: string,
    result: string,
    durationMs: number,
    failed: boolean,
    signal: AbortSignal,
  ): unknown
}

/** `T` with at least one of its members. */
type AtLeastOne<T> = {
  [K in keyof T]: Pick<T, K> & { [Other in Exclude<keyof T, K>]?: T[Other] | undefined }
}[keyof T]
/** What no function is. */
interface OfAnotherShape {
  readonly 'phases of both shapes do not mix': never
}
/** Without the phases of the other shape. Their types stand here too, so that the compiler tells of a wrong answer. */
type Absent<T> = { readonly [K in keyof T]?: (T[K] & OfAnotherShape) | undefined }

/** A hook: a name and at least one phase. */
export type ToolHook = HookOptions & AtLeastOne<Phases> & Absent<PlainPhases>

/** A hook in the shape of OpenClaw.NET's `IToolHook`: tool name and JSON text in, a boolean out. */
export type PlainHook = HookOptions &
  AtLeastOne<PlainPhases> &
  Absent<Phases> & {
    /** `beforeExecute` does not run again when the params changed. */
    readonly once?: boolean | undefined
  }

/** Whatever `adapt` takes. */
export type AnyHook = ToolHook | PlainHook
