import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const TOP: string = fileURLToPath(new URL('../..', import.meta.url))

/** Every page that people read, relative to the top. */
export const PAGES: readonly string[] = [
  ...['README.md', 'CHANGELOG.md', 'SECURITY.md', 'CONTRIBUTING.md'],
  ...['docs', 'examples'].flatMap((folder) =>
    readdirSync(join(TOP, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md') && !file.includes('node_modules'))
      .map((file) => `${folder}/${file}`),
  ),
]

export function readPage(page: string): string {
  return readFileSync(join(TOP, page), 'utf8')
}

export interface Sample {
  readonly page: string
  /** Where its text begins. */
  readonly line: number
  readonly text: string
}

/** The fenced blocks of all pages that are marked with one of these languages. */
export function samples(...languages: readonly string[]): Sample[] {
  return PAGES.flatMap((page) => {
    const content = readPage(page)
    const fence = new RegExp(`^( *)\`\`\`(?:${languages.join('|')})\\n(.*?)^\\1\`\`\``, 'gms')
    return [...content.matchAll(fence)].map(({ index, 1: indent = '', 2: text = '' }) => ({
      page,
      line: content.slice(0, index).split('\n').length + 1,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }))
  })
}

/**
 * What stands around the TypeScript samples: names of the package that a fragment does not import again, and names that
 * are the reader's own. What a sample declares itself hides them.
 */
export const SURROUNDINGS = `
declare global {
  // Of the package.
  const Toolware: typeof import('toolware').Toolware
  const ToolDeniedError: typeof import('toolware').ToolDeniedError
  const isToolwareError: typeof import('toolware').isToolwareError
  const deny: typeof import('toolware').deny
  const auditLog: typeof import('toolware/hooks').auditLog
  const autonomy: typeof import('toolware/hooks').autonomy
  const loadConfig: typeof import('toolware/config').loadConfig
  const toolwareFromConfig: typeof import('toolware/config').toolwareFromConfig
  type ProgramRule = import('../../lib/policy/shell/programs/rule.ts').ProgramRule
  type Suite = import('../../benchmarks/runner.ts').Suite
  const bare: typeof import('../../benchmarks/fixtures.ts').bare
  const execute: typeof import('../../benchmarks/fixtures.ts').execute

  // What samples before the fragment have made.
  const app: import('toolware').Toolware
  const host: import('toolware/plugin').PluginHost
  const api: import('toolware/plugin').PluginApi
  const koa: import('koa')
  const server: import('express').Express
  const myHook: import('toolware').ToolHook
  const call: import('toolware').ToolCall
  const params: { readonly command: string }
  const id: string
  const approvalId: string

  // The reader's.
  const tool: import('toolware').Tool
  const readFile: import('toolware').Tool
  const readFileTool: import('toolware').Tool<{ path: string }, Promise<string>>
  const runDeploy: import('toolware').Tool<{ to: string }, Promise<string>>
  const login: () => Promise<void>
  const metrics: { count(name: string): void }
  const baseEnv: Readonly<Record<string, string>>
  const person: string
  const agentId: string
  const senderId: string
  const sessionKey: string
  const toolName: string
  const toolCallId: string
  const content: string
  const details: object
  const messages: object[]
  function mask(value: unknown): unknown
  function show(id: string, prompt: object): void
  function notify(text: string): void
  function tell(person: string, text: string | undefined): void
  function save(id: string): void
  function wait(ms: number | undefined): Promise<void>
  function run(command: string, options: { readonly env: object }): Promise<string>
  function regionOf(sessionKey: string | undefined): string
  function overBudget(params: Readonly<Record<string, unknown>>): boolean
  function mayUse(senderId: string, command: string): boolean

  namespace Express {
    interface Request {
      readonly session: { readonly id: string }
      readonly user: { readonly id: string }
    }
  }
}
export {}
`
