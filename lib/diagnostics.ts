import { type Channel, channel } from 'node:diagnostics_channel'

/**
 * Channels of `node:diagnostics_channel`, free while nobody subscribes. The message is `{ ctx }` at the start,
 * `{ ctx, outcome }` at the end, and `{ hook, phase, error, ctx }` for a fault inside a hook. `plugin` carries the
 * health of a bridged plugin whenever its state changes.
 */
export const CHANNELS: Readonly<Record<'start' | 'end' | 'error' | 'plugin', Channel>> = {
  start: channel('toolware:call:start'),
  end: channel('toolware:call:end'),
  error: channel('toolware:call:error'),
  plugin: channel('toolware:plugin:state'),
}
