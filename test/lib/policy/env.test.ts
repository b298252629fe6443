import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { filterExecEnv } from '../../../lib/policy/env.ts'

const url = new URL('../../cases/hostile-env.json', import.meta.url)
const cases = JSON.parse(readFileSync(url, 'utf8')) as ReadonlyArray<{
  readonly id: string
  readonly env: Readonly<Record<string, string>>
  readonly expect: 'allow' | 'deny'
}>

const kept = (env: Record<string, unknown>, source: 'plugin' | 'request'): string[] =>
  Object.keys(filterExecEnv(env, { source }).env)

describe('filterExecEnv()', () => {
  it.each(cases)('$id: $env', ({ env, expect: wanted }) => {
    for (const source of ['plugin', 'request'] as const) {
      expect(kept(env, source)).toEqual(wanted === 'allow' ? Object.keys(env) : [])
    }
  })

  it.each([
    'PATH',
    'Path',
    'path',
    'ld_preload',
    'LD_ANYTHING',
    'BASH_FUNC_x',
    'GIT_CONFIG_KEY_0',
    'GIT_CONFIG',
    'GIT_SSH_COMMAND',
    'npm_config_script_shell',
    'HTTP_PROXY',
    'https_proxy',
    'grpc_proxy',
    'NODE_OPTIONS',
    'HOME',
    'GITHUB_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
    'KUBECONFIG',
    'DOCKER_HOST',
    'TF_VAR_x',
    'CARGO_TARGET_X86_64_LINKER',
    'LUA_INIT_5_4',
    'OPENCLAW_CLI',
    'PIP_INDEX_URL',
    'UV_INDEX',
    'SSL_CERT_FILE',
    'SYSTEMROOT',
    'PS4',
    'MAKEFLAGS',
  ])('drops %s from a plugin', (name) => {
    const { env, dropped } = filterExecEnv({ [name]: 'x' }, { source: 'plugin' })
    expect(Object.keys(env)).toEqual([])
    expect(dropped).toEqual([
      { name, reason: 'it changes what programs load, run, trust or reveal' },
    ])
  })

  it('lets a plugin set what is harmless, and a request a short list only', () => {
    const env = { NODE_ENV: 'test', MY_FLAG: '1', CI: 'true', LC_TIME: 'C', TZ: 'Europe/Berlin' }
    expect(kept(env, 'plugin')).toEqual(['NODE_ENV', 'MY_FLAG', 'CI', 'LC_TIME', 'TZ'])
    expect(kept(env, 'request')).toEqual(['CI', 'LC_TIME', 'TZ'])
    expect(
      Object.keys(filterExecEnv(env, { source: 'request', allow: ['MY_FLAG'] }).env),
    ).toContain('MY_FLAG')
  })

  it('lets no option bring a refused name back', () => {
    expect(
      filterExecEnv({ LD_PRELOAD: 'x' }, { source: 'request', allow: ['LD_PRELOAD'] }).env,
    ).toEqual(Object.create(null))
  })

  it('drops a real own __proto__', () => {
    const env = JSON.parse('{"__proto__":"x","CI":"1"}')
    const { env: kept, dropped } = filterExecEnv(env, { source: 'plugin' })
    expect(Object.getPrototypeOf(kept)).toBeNull()
    expect(Object.keys(kept)).toEqual(['CI'])
    expect(dropped).toEqual([{ name: '__proto__', reason: 'this is no name of a variable' }])
  })

  it.each([
    [{ 'A-B': 'x' }, 'this is no name of a variable'],
    [{ '1A': 'x' }, 'this is no name of a variable'],
    [{ 'A\u0000B': 'x' }, 'this is no name of a variable'],
    [{ LＤ_PRELOAD: 'x' }, 'this is no name of a variable'],
    [{ A: 1 }, 'its value is not text'],
    [{ A: 'x\u0000y' }, 'its value holds a NUL character'],
    [{ A: 'x'.repeat(40_000) }, 'its value is longer than 32768 characters'],
  ])('says why it drops %j', (env, reason) => {
    expect(filterExecEnv(env, { source: 'plugin' }).dropped).toMatchObject([{ reason }])
  })

  it.each([{ TZ: ':/etc/passwd' }, { TERM: '../../x' }, { LANG: '/tmp/x' }])(
    'refuses a request that hides a path in %j',
    (env) => {
      expect(kept(env, 'request')).toEqual([])
    },
  )

  it('lets a request choose no encoding in which a shell reads another command', () => {
    const plain = ['C', 'POSIX', 'C.UTF-8', 'en_US.utf8', 'de_DE@euro', 'ja_JP.eucJP', 'x']
    for (const value of plain) expect(kept({ LC_ALL: value }, 'request'), value).toEqual(['LC_ALL'])
    for (const value of ['zh_CN.GBK', 'zh_TW', 'ja_JP.SJIS', 'zh_CN.GB18030@x', 'C.BIG5']) {
      expect(kept({ LANG: value, LC_CTYPE: value }, 'request'), value).toEqual([])
    }
  })

  it('gives a frozen result', () => {
    expect(Object.isFrozen(filterExecEnv({ CI: '1' }, { source: 'plugin' }).env)).toBe(true)
  })
})
