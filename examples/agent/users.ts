/** Who may chat, by bearer token. Stands in for your login. */
const USERS: ReadonlyMap<string, string> = new Map([
  ['alice-token', 'alice'],
  ['bob-token', 'bob'],
])

/** The user whom an `authorization` header proves. Throws an error with the status 401 for anybody else. */
export function userOf(authorization: string | undefined): string {
  const token = authorization?.match(/^Bearer (.+)$/)?.[1]
  const user = token === undefined ? undefined : USERS.get(token)
  if (user !== undefined) return user
  throw Object.assign(new Error('Send "authorization: Bearer alice-token".'), {
    status: 401,
    expose: true,
  })
}

/** Clients name their chats, so the name counts within the user only: nobody can spend the budget of another. */
export function sessionOf(user: string, chat: string | undefined): string {
  return `${user}/${chat ?? 'default'}`
}
