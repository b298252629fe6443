import { createRequire } from 'node:module'
import { Language, type Node, Parser } from 'web-tree-sitter'

/** What the other parser sees: the names of programs that it can read off the text. */
export type OtherParse = (text: string) => readonly string[] | undefined

/** Names that stand in the text as they are, quotes apart; others are for the shell to work out. */
function staticName(node: Node): string | undefined {
  const [only] = node.namedChildren
  if (node.namedChildren.length !== 1 || !only) return undefined
  if (only.type === 'word') return /[\\*?[\]{}~$]/.test(only.text) ? undefined : only.text
  if (only.type === 'raw_string') return only.text.slice(1, -1)
  return undefined
}

/** Loads tree-sitter-bash. Its parse is undefined for a text with errors. */
export async function otherParser(): Promise<OtherParse> {
  await Parser.init()
  const require = createRequire(import.meta.url)
  const parser = new Parser()
  parser.setLanguage(await Language.load(require.resolve('tree-sitter-bash/tree-sitter-bash.wasm')))
  return (text) => {
    const tree = parser.parse(text)
    if (tree === null) return undefined
    try {
      if (tree.rootNode.hasError) return undefined
      return tree.rootNode
        .descendantsOfType('command_name')
        .flatMap((node) => (node ? (staticName(node) ?? []) : []))
    } finally {
      tree.delete()
    }
  }
}
