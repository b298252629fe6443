import type { ApprovalDecision, MaybePromise } from '../types.ts'
import type { CommandDefinition } from './types.ts'

const DECISIONS: Readonly<Record<string, ApprovalDecision>> = {
  'allow-once': 'allow-once',
  allowonce: 'allow-once',
  allow: 'allow-once',
  once: 'allow-once',
  'allow-always': 'allow-always',
  allowalways: 'allow-always',
  always: 'allow-always',
  deny: 'deny',
  reject: 'deny',
  block: 'deny',
}

const USAGE = 'Usage: /approve <id> allow-once|allow-always|deny'

/** What somebody typed, understood or not. */
export type ApproveInput =
  | { readonly ok: true; readonly id: string; readonly decision: ApprovalDecision }
  | { readonly ok: false; readonly usage: string }

/**
 * Reads `/approve <id> <decision>` or what follows its name: in either order, in any case, with the short forms people
 * use (`allow`, `once`, `always`, `reject`, `block`). With two words that are decisions the first is the id.
 */
export function parseApprove(text: string): ApproveInput {
  const words = text
    .trim()
    .replace(/^\/approve(?:@\S+)?(?=\s|$)/i, '')
    .split(/\s+/)
    .filter((word) => word !== '')
  const [first, second] = words
  if (words.length !== 2 || first === undefined || second === undefined) {
    return { ok: false, usage: USAGE }
  }
  const decided = decisionOf(second)
  if (decided) return { ok: true, id: first, decision: decided }
  const reversed = decisionOf(first)
  if (reversed) return { ok: true, id: second, decision: reversed }
  return { ok: false, usage: USAGE }
}

const decisionOf = (word: string): ApprovalDecision | undefined =>
  Object.hasOwn(DECISIONS, word.toLowerCase()) ? DECISIONS[word.toLowerCase()] : undefined

/** Whoever can settle a pending approval: an `ApprovalQueue`. Rejects with a reason that a person can read. */
export interface Resolver {
  resolve(
    id: string,
    decision: ApprovalDecision,
    options: { readonly by?: string | undefined },
  ): MaybePromise<unknown>
}

/** The command `/approve`, which needs an authorised sender. */
export function approveCommand(approvals: Resolver): CommandDefinition {
  return {
    name: 'approve',
    description: 'Decide about a pending approval.',
    acceptsArgs: true,
    requireAuth: true,
    async handler({ args = '', senderId }) {
      const input = parseApprove(args)
      if (!input.ok) return { text: input.usage }
      try {
        await approvals.resolve(input.id, input.decision, { by: senderId })
        return { text: `Approval ${input.id}: ${input.decision}` }
      } catch (error) {
        return { text: error instanceof Error ? error.message : 'The approval cannot be decided.' }
      }
    },
  }
}
