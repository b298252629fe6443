import { type Channel, channel } from 'node:diagnostics_channel'

/**
 * Channels of `node:diagnostics_channel`, free while nobody subscribes. The message is `{ ctx }` at the start,
 * `{ ctx, outcome }` at the end, and `{ hook, phase, error, ctx }` for a fault inside a hook.
 */
export const CHANNELS: Readonly<Record<'start' | 'end' | 'error', Channel>> = {
  start: channel('toolware:call:start'),
  end: channel('toolware:call:end'),
  error: channel('toolware:call:error'),
}
