/** The messages without their `details`, for the model. What has none comes back as it is; nothing changes in place. */
export function stripDetails<M extends object>(messages: readonly M[]): M[] {
  return messages.map((message) => {
    if (!('details' in message)) return message
    const rest: M & { details?: unknown } = { ...message }
    delete rest.details
    return rest
  })
}
