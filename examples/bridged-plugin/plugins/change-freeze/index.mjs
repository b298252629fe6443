// A policy in plain JavaScript. It knows nothing of toolware; it runs in a process of its own.

/** @param {import('toolware/plugin').PluginApi} api */
export default function changeFreeze(api) {
  const { frozen } = api.pluginConfig

  api.on('tool:before', (ctx) => {
    if (frozen.includes(ctx.toolName)) {
      return {
        allow: false,
        reason: 'changes are frozen until Monday; prepare the deploy and stop there',
      }
    }
    // Two faults, so that there is something to see: a calendar that never answers, and a bug.
    if (ctx.toolName === 'book_room') return new Promise(() => {})
    if (ctx.toolName === 'import_holidays') process.exit(1)
    return true
  })

  api.on('tool:after', (ctx) => {
    console.log(`${ctx.toolName} took ${ctx.durationMs.toFixed(0)} ms`)
  })
}
