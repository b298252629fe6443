import { ask, deny, type ToolHook, Toolware } from 'toolware'
import type { ApprovalQueue } from 'toolware/approval'

const MOST_REPLICAS = 20

/** What no person can allow. It judges again what a person edited. */
const capacity: ToolHook = {
  name: 'Capacity',
  check({ toolName, params }) {
    const { replicas } = params
    if (toolName !== 'scale' || (Number(replicas) >= 1 && Number(replicas) <= MOST_REPLICAS)) {
      return null
    }
    return deny(`${JSON.stringify(replicas)} replicas: there is room for 1 to ${MOST_REPLICAS}`)
  },
}

/** What a person has to allow. */
const onCall: ToolHook = {
  name: 'OnCall',
  check({ toolName, params }) {
    const { service, replicas } = params
    switch (toolName) {
      case 'restart':
        return ask({ title: `Restart ${service}?`, severity: 'critical' })
      case 'scale':
        // How many is the person's to say, each time anew.
        return ask({
          title: `Scale ${service} to ${replicas}?`,
          editable: true,
          allowedDecisions: ['allow-once', 'deny'],
        })
      default:
        return null
    }
  },
}

/** What stands between the model and the tools: what nobody may, and what a person decides. */
export function createPipeline(approvals: ApprovalQueue): Toolware {
  return new Toolware({ approvals }).use(capacity).use(onCall)
}
