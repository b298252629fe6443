import { segmentNames } from './fold.ts'
import type { Segment } from './glob.ts'

/** One forbidden glob, cut into segments. */
export interface Tree {
  /** As the operator wrote it. */
  readonly source: string
  readonly segments: readonly Segment[]
  /** Index of the last segment with a literal; what follows is `*` and `**` only. */
  readonly last: number
}

/** Where all trees stand after the same names of a path. */
export interface TreeState {
  /** The first glob that covers a path that ends here. */
  readonly covered: string | undefined
}

interface Edge {
  /** Which tree, and which of its segments. */
  readonly tree: number
  readonly at: number
  readonly wanted: Segment
}

interface Node extends TreeState {
  /** For each tree, the indices of segments that may match next. The end: all matched. */
  readonly places: ReadonlyArray<readonly number[]>
  readonly literals: ReadonlyMap<string, readonly Edge[]>
  readonly patterns: readonly Edge[]
  /** Where names lead that were met in this place. */
  readonly known: Map<string, Node>
  /** Where all other names lead. Made when one is met. */
  other: Node | undefined
}

/** Most names and nodes that are remembered. */
const MAX_KNOWN = 1000

/** Follows the names of paths through all trees at once; each state is made once, as long as there are not too many. */
export class TreeStates {
  readonly start: TreeState
  readonly #trees: readonly Tree[]
  readonly #start: Node
  #nodes = new Map<string, Node>()
  #known = 0

  constructor(trees: readonly Tree[]) {
    this.#trees = trees
    this.#start = this.#node(trees.map((tree) => spread(tree, [], 0)))
    this.start = this.#start
  }

  /** The state after these directories, from the start. */
  enter(names: readonly string[]): TreeState {
    let at = this.#start
    for (const name of names) {
      const next = at.known.get(name) ?? this.#step(at, name)
      if (this.#known < MAX_KNOWN && !at.known.has(name)) {
        this.#known++
        at.known.set(name, next)
      }
      at = next
    }
    return at
  }

  /** The state after one more name, which is not remembered. */
  step(from: TreeState, name: string): TreeState {
    return this.#step(from as Node, name) // every state is a node
  }

  #step(from: Node, name: string): Node {
    const names = segmentNames(name)
    let met: Edge[] | undefined
    for (const one of names) {
      const literal = from.literals.get(one)
      if (literal) met = [...(met ?? []), ...literal]
      for (const edge of from.patterns) {
        if (!edge.wanted.matches(one)) continue
        met ??= []
        met.push(edge)
      }
    }
    if (met === undefined && from.other) return from.other
    const next = this.#node(
      this.#trees.map((tree, i) => {
        const places = from.places[i] as readonly number[]
        // Once all matched it stays there: what is below is covered.
        if (places.includes(tree.segments.length)) return places
        const into: number[] = []
        for (const at of places) {
          if (tree.segments[at]?.kind === 'globstar') spread(tree, into, at)
          else if (met?.some((edge) => edge.tree === i && edge.at === at))
            spread(tree, into, at + 1)
        }
        return into
      }),
    )
    if (met === undefined) from.other = next
    return next
  }

  #node(places: ReadonlyArray<readonly number[]>): Node {
    const key = places.join(';')
    const known = this.#nodes.get(key)
    if (known) return known
    const literals = new Map<string, Edge[]>()
    const patterns: Edge[] = []
    for (const [i, tree] of this.#trees.entries()) {
      for (const at of places[i] ?? []) {
        const wanted = tree.segments[at]
        if (wanted === undefined || wanted.kind === 'globstar') continue
        const edge = { tree: i, at, wanted }
        if (wanted.kind !== 'literal') patterns.push(edge)
        else literals.set(wanted.text, [...(literals.get(wanted.text) ?? []), edge])
      }
    }
    const covering = this.#trees.find(({ last }, i) => places[i]?.some((at) => at > last))
    const made: Node = {
      covered: covering?.source,
      places,
      literals,
      patterns,
      known: new Map(),
      other: undefined,
    }
    if (this.#nodes.size < MAX_KNOWN) this.#nodes.set(key, made)
    return made
  }
}

/** Adds a place and, past globstars, those behind it. */
function spread({ segments }: Tree, into: number[], from: number): number[] {
  for (let next = from; !into.includes(next); next++) {
    into.push(next)
    if (segments[next]?.kind !== 'globstar') break
  }
  return into
}
