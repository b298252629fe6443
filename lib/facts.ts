import type { Facts } from './types.ts'

/** The facts of a call that nothing stands around. May bring along what is no fact: nobody looks. */
export function ownFacts(call: Facts): Facts {
  // A spread is quick, and does not see what is inherited.
  const isLiteral = Object.getPrototypeOf(call) === Object.prototype
  return isLiteral ? sealed({ ...call }) : snapshotFacts(call)
}

/** Facts as the call keeps them, the outermost source first: later ones win, and the host may change its own objects. */
export function snapshotFacts(...sources: ReadonlyArray<Facts | undefined>): Facts {
  const facts: Record<string, unknown> = {}
  for (const source of sources) {
    for (const key in source) {
      const value = source[key as keyof Facts]
      if (value !== undefined && !(key in CALL_FIELDS)) facts[key] = value
    }
  }
  return sealed(facts)
}

/** With the parts that are objects as copies, frozen. */
function sealed(facts: Record<string, unknown>): Facts {
  const { requester, derivedPaths } = facts as Facts
  if (requester !== undefined) {
    const roleIds = requester.roleIds && Object.freeze([...requester.roleIds])
    facts['requester'] = Object.freeze(roleIds ? { ...requester, roleIds } : { ...requester })
  }
  if (derivedPaths !== undefined) facts['derivedPaths'] = Object.freeze([...derivedPaths])
  return facts as Facts
}

/** What of a call is no fact. */
const CALL_FIELDS = { toolName: 1, params: 1, argumentsJson: 1 }
