/** The shell parser, and nothing else: what it says is for `parse.ts` to judge and for `witness.ts` to doubt. */
export {
  type Assignment,
  type BraceGroup,
  type Command,
  type CommandExpansionPart,
  type DoubleQuotedChild,
  type HereDoc,
  type ParsedScript,
  type Pipeline,
  parse,
  type Redirection,
  type Statement,
  type Subshell,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash'
