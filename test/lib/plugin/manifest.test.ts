import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  blockedCapabilities,
  coversEvent,
  implicitManifest,
  parseManifest,
  readManifest,
} from '../../../lib/plugin/manifest.ts'

const OURS = '/p/toolware.plugin.json'
const THEIRS = '/p/openclaw.plugin.json'
const parse = (manifest: unknown, file = OURS) => parseManifest(JSON.stringify(manifest), file)

describe('parseManifest()', () => {
  it('reads every key', () => {
    const { value } = parse({
      id: 'guard',
      name: 'Guard',
      description: 'says no',
      version: '1.0.0',
      kind: 'policy',
      entry: 'index.mjs',
      runtime: 'process',
      eventSubscriptions: ['tool:before', 'tool:*'],
      capabilities: [' Hooks ', 'tools', 'tools'],
      contracts: { trustedToolPolicies: ['no-friday'] },
      configSchema: { type: 'object' },
      failOpen: ['timeout'],
    })
    expect(value).toEqual({
      id: 'guard',
      name: 'Guard',
      description: 'says no',
      version: '1.0.0',
      kind: 'policy',
      entry: 'index.mjs',
      runtime: 'process',
      eventSubscriptions: ['tool:before', 'tool:*'],
      capabilities: ['hooks', 'tools'],
      contracts: { trustedToolPolicies: ['no-friday'] },
      configSchema: { type: 'object' },
      failOpen: ['timeout'],
      file: OURS,
      folder: '/p',
    })
  })

  it('lets a process plugin that declares no events register for none, and limits no other', () => {
    const events = (runtime: string, file: string) =>
      parse({ id: 'a', runtime }, file).value?.eventSubscriptions
    expect(events('process', OURS)).toEqual([])
    expect(events('inline', OURS)).toBeUndefined()
    expect(events('process', THEIRS)).toBeUndefined()
  })

  it('runs inline unless told otherwise', () => {
    expect(parse({ id: 'a' }).value?.runtime).toBe('inline')
  })

  it('leaves unknown keys of an OpenClaw manifest alone', () => {
    expect(parse({ id: 'a', channels: ['x'], uiHints: {} }, THEIRS).value?.id).toBe('a')
  })

  it('takes a byte order mark', () => {
    expect(parseManifest('\uFEFF{"id":"a"}', OURS).value?.id).toBe('a')
  })

  it.each([
    ['no object', []],
    ['no id', {}],
    ['blank id', { id: ' ' }],
    ['id that climbs', { id: '../a' }],
    ['unknown key', { id: 'a', failopen: [] }],
    ['name of a wrong type', { id: 'a', name: 1 }],
    ['blank entry', { id: 'a', entry: ' ' }],
    ['unknown runtime', { id: 'a', runtime: 'thread' }],
    ['events that are no list', { id: 'a', eventSubscriptions: 'tool:before' }],
    ['an event that is no text', { id: 'a', eventSubscriptions: [1] }],
    ['an event that is no event', { id: 'a', eventSubscriptions: ['tool before'] }],
    ['capabilities that are no list', { id: 'a', capabilities: {} }],
    ['contracts that are no object', { id: 'a', contracts: [] }],
    ['policies that are no list', { id: 'a', contracts: { trustedToolPolicies: 'x' } }],
    ['a schema that is no object', { id: 'a', configSchema: true }],
    ['an unknown cause', { id: 'a', failOpen: ['crash'] }],
  ])('refuses %s', (_, manifest) => {
    const { problem } = parse(manifest)
    expect(problem).toMatchObject({ code: 'invalid_manifest', path: OURS })
  })

  it('says what is not JSON', () => {
    expect(parseManifest('{', OURS).problem?.message).toMatch(/^is not JSON: /)
  })

  it('quotes the bad value and says what would be right', () => {
    expect(parse({ id: 'a', runtime: 'thread' }).problem?.message).toMatchInlineSnapshot(
      `"runtime: "thread" must be 'process' or 'inline'"`,
    )
  })
})

describe('readManifest()', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'toolware-manifest-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('prefers our own manifest', async () => {
    writeFileSync(join(folder, 'openclaw.plugin.json'), '{"id":"theirs"}')
    writeFileSync(join(folder, 'toolware.plugin.json'), '{"id":"ours"}')
    expect((await readManifest(folder))?.value?.id).toBe('ours')
  })

  it('reads an OpenClaw manifest', async () => {
    writeFileSync(join(folder, 'openclaw.plugin.json'), '{"id":"theirs"}')
    expect((await readManifest(folder))?.value?.id).toBe('theirs')
  })

  it('finds nothing in a folder without one', async () => {
    expect(await readManifest(folder)).toBeUndefined()
  })

  it('refuses a manifest that is too large to be one', async () => {
    writeFileSync(join(folder, 'toolware.plugin.json'), ' '.repeat(1024 * 1024 + 1))
    expect((await readManifest(folder))?.problem?.code).toBe('invalid_manifest')
  })
})

describe('implicitManifest()', () => {
  it('takes the base name of the file as id and limits nothing', () => {
    const manifest = implicitManifest('/p/guard.v2.mjs')
    expect(manifest).toMatchObject({ id: 'guard.v2', entry: 'guard.v2.mjs', folder: '/p' })
    expect(manifest.eventSubscriptions).toBeUndefined()
  })
})

describe('blockedCapabilities()', () => {
  it.each([
    ['restricted', 'process', ['hooks', 'tools'], []],
    ['restricted', 'inline', [' Hooks ', 'tools', 'tools'], ['hooks', 'tools']],
    ['full', 'inline', ['hooks'], []],
  ] as const)('%s mode, %s plugin', (mode, runtime, capabilities, blocked) => {
    expect(blockedCapabilities(mode, runtime, capabilities)).toEqual(blocked)
  })
})

describe('coversEvent()', () => {
  it.each([
    [undefined, 'tool:before', true],
    [[], 'tool:before', false],
    [['tool:before'], 'tool:before', true],
    [['tool:before'], 'tool:after', false],
    [['tool:*'], 'tool:after', true],
    [['tool:before'], 'tool:*', false],
    [['tool:before', 'tool:after'], 'tool:*', true],
    [['tool:*'], 'before_tool_call', false],
    [['before_tool_call'], 'before_tool_call', true],
  ])('%j covers %s: %s', (declared, event, covered) => {
    expect(coversEvent(declared, event)).toBe(covered)
  })
})
