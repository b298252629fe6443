/** The messages without their `details`, for the model. What has none comes back as it is; nothing changes in place. */
export function stripDetails<M extends { details?: unknown }>(messages: readonly M[]): M[] {
  return messages.map((message) => {
    if (!('details' in message)) return message
    const rest = { ...message }
    delete rest.details
    return rest
  })
}
