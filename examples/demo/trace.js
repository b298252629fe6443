/** Notes which hooks and middleware a call passes, by their number in the list. */
export class Trace {
  in = []
  out = []

  begin() {
    this.in = []
    this.out = []
  }

  /** The same hook, seen at work. */
  hook(hook, number) {
    const seen = { ...hook }
    for (const phase of ['check', 'before', 'after', 'skipped']) {
      const original = hook[phase]
      if (original === undefined) continue
      seen[phase] = (...args) => {
        // After a rewrite, policies judge once more; that is not shown.
        if (args[0].recheck) return original.apply(hook, args)
        const way = phase === 'check' || phase === 'before' ? this.in : this.out
        const answer = original.apply(hook, args)
        const mark = markOf(answer)
        if (way.at(-1)?.number !== number) way.push({ number, mark })
        else if (mark !== '') way.at(-1).mark = mark
        return answer
      }
    }
    return seen
  }

  /** The same middleware, seen at work. */
  middleware(fn, number) {
    return async (ctx, next) => {
      this.in.push({ number, mark: '' })
      let mark = ''
      try {
        await fn(ctx, next, () => {
          mark = '~'
        })
      } finally {
        this.out.push({ number, mark })
      }
    }
  }
}

function markOf(answer) {
  if (answer?.kind === 'deny') return '✗'
  return answer?.kind === 'rewrite' ? '~' : ''
}
