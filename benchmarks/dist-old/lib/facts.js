/** Facts as the call keeps them, the outermost source first: later ones win, and the host may change its own objects. */
export function snapshotFacts(...sources) {
    const facts = {};
    for (const source of sources) {
        for (const key in source) {
            const value = source[key];
            if (value !== undefined && !(key in CALL_FIELDS))
                facts[key] = value;
        }
    }
    const { requester, derivedPaths } = facts;
    if (requester !== undefined) {
        const roleIds = requester.roleIds && Object.freeze([...requester.roleIds]);
        facts['requester'] = Object.freeze(roleIds ? { ...requester, roleIds } : { ...requester });
    }
    if (derivedPaths !== undefined)
        facts['derivedPaths'] = Object.freeze([...derivedPaths]);
    return facts;
}
/** What of a call is no fact. */
const CALL_FIELDS = { toolName: 1, params: 1, argumentsJson: 1 };
