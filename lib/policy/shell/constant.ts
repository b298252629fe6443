import type { CommandExpansionPart } from './parser.ts'

/**
 * The text that `$(cat <<'EOF' ...)` stands for, as agents write long messages. Undefined for a substitution that could
 * stand for anything else.
 */
export function constantText({ text, script }: CommandExpansionPart): string | undefined {
  const [statement] = script?.commands ?? []
  if (!text.startsWith('$(') || script?.commands.length !== 1 || statement?.background) return
  const command = statement?.command
  if (command?.type !== 'Command' || command.name?.text !== 'cat') return
  const [document] = command.suffix
  if (command.prefix.length > 0 || command.suffix.length !== 1) return
  if (document?.type !== 'HereDoc' || document.operator !== '<<' || document.descriptor) return
  const { body, delimiter } = document
  const isPlain = delimiter?.quoted || (body.parts === undefined && !/[\\$`]/.test(body.text))
  return isPlain ? body.text.replace(/\n+$/, '') : undefined
}
