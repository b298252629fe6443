import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parsed, toolware } from '../helpers/cli.ts'
import { tempDir } from '../helpers/temp.ts'

const ID = 'maintenance-access'

/** A folder with the second seed's policy file, a broken plugin, one behind the bridge, and a configuration. */
function project(plugins: object = {}): string {
  const folder = tempDir()
  mkdirSync(join(folder, 'policies/bridged'), { recursive: true })
  const sample = join(import.meta.dirname, '../cases/openclaw', `${ID}.ts`)
  copyFileSync(sample, join(folder, 'policies', `${ID}.ts`))
  writeFileSync(join(folder, 'policies/broken.mjs'), 'export default {')
  writeFileSync(
    join(folder, 'policies/bridged/toolware.plugin.json'),
    JSON.stringify({
      id: 'bridged',
      entry: 'index.mjs',
      runtime: 'process',
      eventSubscriptions: ['tool:before'],
    }),
  )
  writeFileSync(
    join(folder, 'policies/bridged/index.mjs'),
    "export default (api) => api.on('tool:before', (ctx) => ctx.toolName !== 'deploy')",
  )
  const config = {
    plugins: { load: { paths: ['policies'] }, entries: { [ID]: { enabled: true } }, ...plugins },
  }
  writeFileSync(join(folder, 'toolware.json5'), JSON.stringify(config))
  return folder
}

describe('toolware plugins', () => {
  it('says what was found, loaded and refused, and why', async () => {
    const folder = project()
    const { code, stdout, stderr } = await toolware(
      ['plugins', '--config', 'toolware.json5'],
      folder,
    )
    const lines = parsed(stdout)
    expect([code, stderr]).toEqual([1, ''])
    expect(lines.map(({ id, state, kind }) => [id, state, kind])).toEqual([
      ['bridged', 'loaded', 'process'],
      [ID, 'loaded', 'inline'],
      ['broken', 'refused', 'inline'],
    ])
    expect(lines[1]).toMatchObject({
      events: ['before_tool_call'],
      commands: ['fix'],
      diagnostics: [],
    })
    expect(lines[2]).toMatchObject({ diagnostics: [{ level: 'error', code: 'load_failed' }] })
  })

  it('reloads one, and tells of one that cannot be loaded', async () => {
    const folder = project()
    const reload = (id: string) =>
      toolware(['plugins', 'reload', id, '--config', 'toolware.json5'], folder)
    const good = await reload(ID)
    expect([good.code, parsed(good.stdout)]).toMatchObject([0, [{ id: ID, state: 'loaded' }]])
    const bad = await reload('broken')
    expect([bad.code, parsed(bad.stdout)]).toMatchObject([1, [{ id: 'broken', state: 'refused' }]])
    expect(await reload('nobody')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `toolware: plugins: cannot reload 'nobody': there is no plugin 'nobody'; known are bridged, ${ID}\n`,
    })
  })

  it.each([
    [['plugins'], 'plugins needs --config FILE'],
    [['plugins', 'relod', 'x'], '"relod" is no action'],
    [['plugins', 'reload'], 'needs an id'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await toolware(args, project())
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })
})

describe('plugins under toolware check', () => {
  const calls = [
    { toolName: 'exec', agentId: 'maintenance-agent' },
    { toolName: 'read', agentId: 'maintenance-agent', requester: { senderIsOwner: true } },
    { toolName: 'deploy' },
  ]
  const input = calls.map((call) => JSON.stringify(call)).join('\n')
  const check = (folder: string, ...more: string[]) =>
    toolware(['check', '--config', 'toolware.json5', ...more], folder, input)

  it('judge, in this process and behind the bridge', async () => {
    const { code, stdout } = await check(project({ deny: ['broken'] }))
    expect(code).toBe(0)
    expect(parsed(stdout).map(({ verdict, by, reason }) => [verdict, by, reason])).toEqual([
      ['deny', 'before_tool_call', 'Maintainer access required.'],
      ['allow', null, null],
      ['deny', 'plugin:bridged', null],
    ])
  })

  it('are left out on request', async () => {
    const { stdout } = await check(project(), '--no-plugins')
    expect(parsed(stdout).map(({ verdict }) => verdict)).toEqual(['allow', 'allow', 'allow'])
  })

  it('are kept to the bridge by restricted mode', async () => {
    const { stdout } = await check(project({ mode: 'restricted' }))
    expect(parsed(stdout).map(({ by }) => by)).toEqual([null, null, 'plugin:bridged'])
  })

  it('stop the command when one is broken and the configuration is strict', async () => {
    const { code, stdout, stderr } = await check(project({ strict: true }))
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('plugins.strict: broken: load_failed:')
  })
})
