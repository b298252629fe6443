import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PathPolicy, pathPolicy } from '../../../../lib/policy/paths.ts'
import { allowedCommands } from '../../../../lib/policy/shell/allow.ts'
import { shellJudge } from '../../../../lib/policy/shell/judge.ts'
import { type Workspace, workspace } from '../../../helpers/workspace.ts'

interface Case {
  readonly id: string
  readonly family: string
  readonly config: {
    readonly tooling?: {
      readonly autonomyMode?: string
      readonly workspaceRoot?: string
      readonly workspaceOnly?: boolean
      readonly forbiddenPathGlobs?: readonly string[]
      readonly allowShell?: boolean
      readonly allowedShellCommandGlobs?: readonly string[]
      readonly caseInsensitivePaths?: boolean
    }
  }
  readonly calls: ReadonlyArray<{
    readonly toolName: string
    readonly params?: Readonly<Record<string, unknown>>
  }>
  readonly want: readonly string[]
  readonly why: string
}

const url = new URL('../../../cases/verdicts.json', import.meta.url)
const cases = (JSON.parse(readFileSync(url, 'utf8')) as readonly Case[]).filter(
  ({ config: { tooling } }) =>
    tooling !== undefined &&
    tooling.allowShell !== false &&
    (tooling.autonomyMode === undefined || tooling.autonomyMode === 'full'),
)

/** The command texts of a case's only call, when it is about commands in a shape the judge takes. */
function commandOf({ calls }: Case): { text: string } | { argv: string[] } | undefined {
  const [call] = calls
  const { params = {} } = call ?? {}
  const text =
    params.command ?? params.cmd ?? (params.language === 'bash' ? params.code : undefined)
  if (typeof text !== 'string' || 'env' in params || 'workdir' in params) return undefined
  return Array.isArray(params.args) ? { argv: [text, ...params.args.map(String)] } : { text }
}

const judged = cases.flatMap((each) => {
  const command = commandOf(each)
  return command === undefined || each.calls.length !== 1 ? [] : [{ each, command }]
})

describe('shellJudge()', () => {
  let made: Workspace
  beforeAll(() => {
    made = workspace()
  })
  afterAll(() => made.remove())

  const policyOf = ({ config: { tooling = {} } }: Case): PathPolicy => {
    const root = made.map(tooling.workspaceRoot ?? made.ws)
    return pathPolicy({
      base: root,
      home: made.home,
      forbidden: (tooling.forbiddenPathGlobs ?? []).map((glob) => made.map(glob)),
      ...(tooling.workspaceOnly && { within: { rule: 'workspaceOnly', dirs: ['.'] } }),
      ...(tooling.caseInsensitivePaths && { caseInsensitive: true }),
    })
  }

  it('finds the cases that are about commands', () => {
    expect(judged.length).toBeGreaterThan(140)
  })

  it.each(judged.map(({ each, command }) => ({ id: each.id, why: each.why, each, command })))(
    'answers $id rightly: $why',
    ({ each, command }) => {
      const { tooling = {} } = each.config
      const judge = shellJudge({
        allows: allowedCommands(tooling.allowedShellCommandGlobs, 'allowedShellCommandGlobs'),
        paths: policyOf(each),
      })
      const found =
        'text' in command
          ? judge.command(made.map(command.text))
          : judge.argv(command.argv.map((word) => made.map(word)))
      expect(found === undefined ? 'allow' : 'deny', JSON.stringify(found)).toBe(each.want[0])
    },
  )
})
