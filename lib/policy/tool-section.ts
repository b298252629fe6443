import { z } from 'zod'
import { configError } from '../errors.ts'
import type { Opinion, Params } from '../types.ts'
import type { ToolDeclaration, ToolDeclarations } from './catalogue.ts'

const entry: z.ZodString = z
  .string()
  .regex(/^\S(?:.*\S)?$/u, 'must not be blank, nor begin or end with a blank')

/** A text of a configuration that is not blank and has no blanks at its ends. */
export const plainText: z.ZodType<string> = entry

const argument = entry.regex(
  /^[^.[\]\s]+(?:\[\])*(?:\.[^.[\]\s]+(?:\[\])*)*$/u,
  'must name an argument, such as file, paths[] or edits[].path',
)

const actions = z.strictObject({
  key: entry,
  default: entry.optional(),
  read: z.array(entry),
})

/** The schema of one tool declaration. */
const toolSection: z.ZodType<ToolDeclaration> = z
  .strictObject({
    access: z.enum(['read', 'write', 'exec'], { error: 'must be read, write or exec' }),
    paths: z.array(argument).optional(),
    globs: z.array(argument).optional(),
    patches: z.array(argument).optional(),
    command: entry.optional(),
    text: z.array(argument).optional(),
    actions: actions.optional(),
  })
  .refine((tool) => tool.command === undefined || tool.access === 'exec', {
    path: ['command'],
    error: 'is for tools with access: exec',
  })

/** The schema of the `tools` section: declarations by exact tool name. */
export const toolsSection: z.ZodType<ToolDeclarations> = z.record(
  z.string().regex(/^[A-Za-z0-9_.:/-]{1,128}$/, 'must be a tool name'),
  toolSection,
)

/** A call as an example of a policy. */
export interface ExampleCall {
  readonly toolName: string
  readonly params?: Readonly<Record<string, unknown>> | undefined
}

/** Calls that a policy must judge as said, checked when it loads. */
export interface PolicyExamples {
  readonly allow?: readonly ExampleCall[] | undefined
  readonly deny?: readonly ExampleCall[] | undefined
}

const example: z.ZodType<ExampleCall> = z.strictObject({
  toolName: entry,
  params: z.record(z.string(), z.unknown()).optional(),
})

/** The schema of `examples`. */
export const examplesSection: z.ZodType<PolicyExamples> = z.strictObject({
  allow: z.array(example).optional(),
  deny: z.array(example).optional(),
})

/**
 * Judges the examples of a policy.
 *
 * @throws {ToolwareError} `CONFIG` about the first that is judged otherwise, with what was found.
 */
export function holdExamples(
  examples: PolicyExamples | undefined,
  path: string,
  judge: (call: { readonly toolName: string; readonly params: Params }) => Opinion,
): void {
  for (const kind of ['allow', 'deny'] as const) {
    for (const [i, { toolName, params = {} }] of (examples?.[kind] ?? []).entries()) {
      const opinion = judge({ toolName, params })
      const verdict =
        typeof opinion === 'object' && opinion !== null
          ? opinion.kind
          : opinion === false
            ? 'deny'
            : 'allow'
      if (verdict === kind) continue
      const why =
        typeof opinion === 'object' && opinion?.kind === 'deny' ? ` (${opinion.reason})` : ''
      throw configError(
        `${path}.${kind}[${i}]`,
        `the call of ${toolName} is judged ${verdict}${why}`,
      )
    }
  }
}
