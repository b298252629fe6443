import { execFileSync } from 'node:child_process'
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { type PathPolicyOptions, pathPolicy } from '../../../lib/policy/paths.ts'
import { tempDir } from '../../helpers/temp.ts'
import { workspace } from '../../helpers/workspace.ts'

const tree = workspace()
afterAll(() => tree.remove())

const policy = (more: PathPolicyOptions = {}) =>
  pathPolicy({
    base: tree.ws,
    within: { rule: 'workspaceOnly', dirs: ['.'] },
    home: tree.home,
    ...more,
  })

describe('pathPolicy()', () => {
  it.each([
    'a.txt',
    './a.txt',
    '.',
    './',
    './src//index.ts',
    'src/../a.txt',
    'link-in/index.ts',
    'link-in/../a.txt',
    'new/dir/file.ts',
    'src/%2e%2e/x',
    'src/file with space.ts',
    'src/naïve/文件.ts',
    'src/$types.d.ts',
    'a~b',
    'src/a:b',
    '…',
    '❤\ufe0f',
    'file:///ws/a%2etxt',
    '/ws/',
    '/ws/src',
    'file:///ws/a.txt',
    'FILE:///ws/a%20b.txt',
    '/dev/null',
  ])('allows %j', (path) => {
    expect(policy().judge(tree.map(path), 'read')).toBeUndefined()
  })

  it.each([
    ['..', 'workspaceOnly'],
    ['/', 'workspaceOnly'],
    ['/etc/passwd', 'workspaceOnly'],
    ['//etc/passwd', 'workspaceOnly'],
    ['/wsx', 'workspaceOnly'],
    ['../ws-evil/x', 'workspaceOnly'],
    ['link-out', 'workspaceOnly'],
    ['link-out/new/new.txt', 'workspaceOnly'],
    ['link-out/../a.txt', 'workspaceOnly'],
    ['link-in/../../x', 'workspaceOnly'],
    ['~', 'workspaceOnly'],
    ['~/x', 'workspaceOnly'],
    ['file:///etc/passwd', 'workspaceOnly'],
    ['file:/etc/passwd', 'workspaceOnly'],
    ['file:///ws/%2e%2e/etc/passwd', 'path'],
    ['file:///ws/link-out/.%2E/x', 'path'],
    ['file:///ws/src/%2e%2e?', 'path'],
    ['file:///ws/../ws/a.txt', 'path'],
    ['file:///ws%2fa.txt', 'path'],
    ['file:///ws/a%00', 'path'],
    ['file://evil.example/share/x', 'path'],
    ['file:///ws/a.txt?x', 'path'],
    ['https://example.org/x', 'path'],
    ['C:\\x', 'path'],
    ['..\\x', 'path'],
    ['src\\..\\..\\x', 'path'],
    ['\\\\server\\share', 'path'],
    ['new/../a.txt', 'path'],
    ['a.txt/x', 'path'],
    ['a.txt/..', 'path'],
    ['~root/.bashrc', 'path'],
    ['~+/x', 'path'],
    ['$HOME/x', 'path'],
    ['$' + '{HOME}/x', 'path'],
    ['%APPDATA%\\x', 'path'],
    ['', 'path'],
    ['   ', 'path'],
    [' a.txt', 'path'],
    ['a.txt\u00a0', 'path'],
    ['a\u0000.png', 'path'],
    ['a\nb', 'path'],
    ['a\u007f', 'path'],
    ['a\u200bb', 'path'],
    ['a\u202eb', 'path'],
    ['a\u3164b', 'path'],
    ['a\u034fb', 'path'],
    ['a\ud800b', 'path'],
    ['x'.repeat(256), 'path'],
    ['x/'.repeat(2049), 'path'],
    ['src/../'.repeat(300), 'path'],
    ['/dev/fd/0', 'path'],
    ['/dev/tcp/1.2.3.4/80', 'path'],
    ['/proc/self/cwd/../etc/passwd', 'path'],
    ['/proc/self/environ', 'path'],
  ])('refuses %j by %s', (path, rule) => {
    expect(policy().judge(tree.map(path), 'read')).toMatchObject({ rule })
  })

  it('says where a path has to lead, and quotes it in short form', () => {
    expect(policy().judge(`../${'a'.repeat(200)}`, 'read')).toEqual({
      rule: 'workspaceOnly',
      reason: `it leads outside ${tree.ws}; use a path inside`,
      value: `../${'a'.repeat(36)}…${'a'.repeat(39)}`,
    })
  })

  it('finds forbidden paths as spelled, tidied, and behind links', () => {
    const { judge } = policy({ forbidden: ['**/.env', 'hidden/**'] })
    tree.link(join(tree.ws, 'hidden'), 'ws/shown')
    tree.link(join(tree.ws, 'a.txt'), 'ws/hidden-link')
    tree.write('ws/hidden/x')
    for (const path of [
      '.env',
      'src/../.env',
      'link-env',
      'shown/x',
      'shown',
      '.ENV',
      '.env/../a.txt',
    ]) {
      expect(judge(path, 'read')?.rule ?? path).toMatch(/^(?:forbiddenPathGlobs: |path$)/)
    }
    expect(judge('hidden-link', 'read')).toBeUndefined()
  })

  it('follows links behind several slashes after its root', () => {
    const { judge } = policy({ forbidden: ['**/.env'] })
    expect(judge(`${tree.ws}//link-env`, 'read')).toMatchObject({
      rule: 'forbiddenPathGlobs: **/.env',
    })
    tree.write(`ws${tree.root}/x`)
    tree.link('/etc', `ws${tree.ws}`)
    for (const slashes of ['/', '//', '///./']) {
      expect(judge(`${tree.ws}${slashes}${tree.ws}/hosts`, 'read')).toMatchObject({
        rule: 'workspaceOnly',
      })
    }
    expect(judge(`${tree.ws}//src///index.ts`, 'read')).toBeUndefined()
  })

  it('finds a forbidden link on the way to a file that is not forbidden', () => {
    tree.link(join(tree.ws, 'a.txt'), 'ws/.token')
    tree.link(join(tree.ws, '.token'), 'ws/innocent')
    expect(policy({ forbidden: ['**/.token'] }).judge('innocent', 'read')).toMatchObject({
      rule: 'forbiddenPathGlobs: **/.token',
    })
  })

  it('forbids without confining', () => {
    const { judge } = pathPolicy({ base: tree.ws, forbidden: ['~/.ssh/*'], home: tree.home })
    expect(judge('/etc/hosts', 'read')).toBeUndefined()
    expect(judge(join(tree.home, '.ssh/id_rsa'), 'read')).toMatchObject({
      rule: 'forbiddenPathGlobs: ~/.ssh/*',
    })
    expect(judge('~/.ssh', 'read')).toBeDefined()
  })

  it('judges a directory named ~ as well, where there is one', () => {
    const dir = tempDir()
    mkdirSync(join(dir, 'home'))
    const { judge } = pathPolicy({
      base: dir,
      within: { rule: 'r', dirs: ['.'] },
      home: join(dir, 'home'),
    })
    expect(judge('~/x', 'read')).toBeUndefined()
    symlinkSync('/etc', join(dir, '~'))
    expect(judge('~/x', 'read')).toMatchObject({ rule: 'r' })
  })

  it('follows at most 40 links, and none in circles', () => {
    const dir = tempDir()
    writeFileSync(join(dir, 'l0'), '')
    for (let i = 1; i <= 41; i++) symlinkSync(`l${i - 1}`, join(dir, `l${i}`))
    symlinkSync('loop', join(dir, 'loop'))
    const { judge } = pathPolicy({ base: dir, within: { rule: 'r', dirs: ['.'] } })
    expect(judge('l40', 'read')).toBeUndefined()
    expect(judge('l41', 'read')).toMatchObject({ reason: expect.stringContaining('40 links') })
    expect(judge('loop', 'read')).toMatchObject({ rule: 'path' })
  })

  it('refuses pipes and sockets', async () => {
    const dir = tempDir()
    execFileSync('mkfifo', [join(dir, 'pipe')])
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(join(dir, 'socket'), resolve))
    onTestFinished(() => void server.close())
    const { judge } = pathPolicy({ base: dir, within: { rule: 'r', dirs: ['.'] } })
    for (const name of ['pipe', 'socket'])
      expect(judge(name, 'write')).toMatchObject({ rule: 'path' })
  })

  it('refuses everything when a link was put in the place of its root', () => {
    const dir = tempDir()
    const root = join(dir, 'root')
    mkdirSync(root)
    const { judge } = pathPolicy({ base: root, within: { rule: 'r', dirs: ['.'] } })
    renameSync(root, join(dir, 'old'))
    symlinkSync('/etc', root)
    expect(judge('passwd', 'read')).toMatchObject({ rule: 'path' })
    expect(judge(join(root, 'passwd'), 'read')).toMatchObject({ rule: 'path' })
    rmSync(root)
    mkdirSync(root)
    expect(judge('passwd', 'read')).toBeUndefined()
  })

  it('refuses to write to a file that has another name, when told', () => {
    const dir = tempDir()
    for (const name of ['one', 'two', 'three', 'four']) writeFileSync(join(dir, name), name)
    mkdirSync(join(dir, 'sub'))
    linkSync(join(dir, 'one'), join(dir, 'sub/other'))
    symlinkSync('one', join(dir, 'to-one'))
    const told = pathPolicy({ base: dir, allowHardLinkWrites: false })
    expect(told.restricted).toBe(true)
    for (const spelled of ['one', 'sub/other', 'to-one', 'sub/../one', join(dir, 'one')]) {
      expect(told.judge(spelled, 'write'), spelled).toMatchObject({ rule: 'allowHardLinkWrites' })
      expect(told.begin().judgeWord(spelled, 'write'), spelled).toBeDefined()
      expect(told.judge(spelled, 'read'), spelled).toBeUndefined()
      expect(pathPolicy({ base: dir }).judge(spelled, 'write'), spelled).toBeUndefined()
    }
    for (const spelled of ['two', 'sub', 'new', 'sub/new']) {
      expect(told.judge(spelled, 'write'), spelled).toBeUndefined()
    }
    expect(told.judgeShellGlob('[ot]*', 'write')).toMatchObject({ value: 'one' })
    expect(told.judgeShellGlob('t[wh]*', 'write')).toBeUndefined()
    expect(told.judgeShellGlob('[ot]*', 'read')).toBeUndefined()
  })

  it('refuses a path below a directory that it may not search', () => {
    const dir = tempDir()
    writeFileSync(join(dir, 'file'), '')
    const { judge } = pathPolicy({ base: dir, within: { rule: 'r', dirs: ['.'] } })
    expect(judge('file/below', 'read')).toMatchObject({ rule: 'path' })
  })

  it('lets several directories be allowed, missing ones and single files too', () => {
    const { judge } = policy({
      within: { rule: 'allowedPaths', dirs: ['src', 'later/x', '~/ws', 'a.txt'] },
    })
    for (const path of ['src', 'src/new', 'later/x/y', '~/ws/a', 'a.txt', 'link-in/index.ts']) {
      expect(judge(path, 'read')).toBeUndefined()
    }
    for (const path of ['.', 'src-evil/x', 'later', 'docs', 'a.txtx']) {
      expect(judge(path, 'read')).toMatchObject({ rule: 'allowedPaths' })
    }
  })

  it('compares allowed paths without case only when told', () => {
    const upper = join(dirname(tree.ws), 'WS', 'a')
    expect(policy().judge(upper, 'read')).toBeDefined()
    expect(policy({ caseInsensitive: true }).judge(upper, 'read')).toBeUndefined()
  })

  it('takes no letter for another because some system might', () => {
    const { judge } = pathPolicy({
      base: 'C:\\WORKS\\Ärger',
      within: { rule: 'r', dirs: ['.'] },
      platform: 'win32',
    })
    for (const dir of ['C:\\works\\ärger', 'c:\\WORKS\\ÄRGER']) {
      expect(judge(`${dir}\\x`, 'read')).toBeUndefined()
    }
    for (const dir of [
      'WOR\u212aS\\Ärger',
      'WORK\u017f\\Ärger',
      'WORKS\\A\u0308rger',
      'WORKS\\Argern',
    ]) {
      expect(judge(`C:\\${dir}\\x`, 'read'), dir).toMatchObject({ rule: 'r' })
    }
  })

  it('works with / as its root', () => {
    const { judge } = pathPolicy({ base: '/', within: { rule: 'r', dirs: ['.'] } })
    expect(judge('/etc/passwd', 'read')).toBeUndefined()
    expect(judge('etc/../../x', 'read')).toBeUndefined()
  })

  it('refuses a root that is no directory', () => {
    expect(() => pathPolicy({ base: join(tree.ws, 'nope') })).toThrow(
      `workspaceRoot: "${join(tree.ws, 'nope')}" is not a directory; create it or name another`,
    )
    expect(() => pathPolicy({ base: join(tree.ws, 'a.txt'), baseKey: 'root' })).toThrow(/^root: /)
  })

  it('tells words of commands from URLs', () => {
    expect(policy().judge('HEAD:x', 'read')).toMatchObject({ rule: 'path' })
    expect(policy().judgeWord('HEAD:x', 'read')).toBeUndefined()
    expect(policy().judgeWord('../x', 'write')).toMatchObject({ rule: 'workspaceOnly' })
  })

  it('reads a backslash in the glob of a tool both ways', () => {
    const { judgeGlob } = policy({ forbidden: ['**/.env'] })
    for (const glob of ['.e\\nv', '**/.e\\nv', '{a,.e\\nv}', '\\.env']) {
      expect(judgeGlob(glob, 'read'), glob).toMatchObject({ rule: 'forbiddenPathGlobs: **/.env' })
    }
    expect(judgeGlob('\\.\\./x', 'read')).toBeDefined()
    expect(judgeGlob('src/\\[id\\]/*.ts', 'read')).toBeUndefined()
  })

  it('enters directories, links followed', () => {
    expect(policy().enter('link-in')).toEqual({ dir: join(tree.ws, 'src') })
    expect(policy().enter('..', join(tree.ws, 'src'))).toEqual({ dir: tree.ws })
    for (const path of ['link-out', 'nope', 'a.txt', '..']) {
      expect(policy().enter(path)).toHaveProperty('found.reason')
    }
  })

  it('judges from the directory it is given', () => {
    const src = join(tree.ws, 'src')
    expect(policy().judge('../a.txt', 'read', src)).toBeUndefined()
    expect(policy().judge('../../x', 'read', src)).toMatchObject({ rule: 'workspaceOnly' })
    expect(policy().exists('index.ts', src)).toBe(true)
    expect(policy().exists('a.txt', src)).toBe(false)
  })

  it('gives each call one budget of looks at the disk', () => {
    const call = policy().begin()
    const path = 'src/../'.repeat(60)
    const found = Array.from({ length: 200 }, (_, i) => call.judge(`${path}x${i}`, 'read')?.reason)
    expect(found[0]).toBeUndefined()
    expect(found.at(-1)).toBe('the call names too many directories at once; give another path')
    expect(policy().begin().judge(`${path}x`, 'read')).toBeUndefined()
  })

  it('is not restricted without directories and globs', () => {
    expect(pathPolicy().restricted).toBe(false)
    expect(policy().restricted).toBe(true)
    expect(pathPolicy({ forbidden: ['x'] }).restricted).toBe(true)
  })
})

describe('pathPolicy() for win32', () => {
  const { judge, judgeGlob, enter } = pathPolicy({
    base: 'C:\\ws',
    within: { rule: 'workspaceOnly', dirs: ['.'] },
    forbidden: ['**/.env', 'C:\\ws\\keys\\**'],
    platform: 'win32',
    home: 'C:\\Users\\u',
  })

  it.each([
    'a.txt',
    'src\\index.ts',
    'src/index.ts',
    'C:\\ws\\a.txt',
    'c:/WS/a.txt',
    'src\\..\\a.txt',
    'console.log',
    'nul-safe',
    '.',
    'CON\u00b9',
    'com10',
    'K\u212aON',
    'file:///C:/ws/a.txt',
  ])('allows %j', (path) => {
    expect(judge(path, 'read')).toBeUndefined()
  })

  it.each([
    'C:\\Windows\\win.ini',
    'C:/Windows/win.ini',
    '..\\..\\x',
    'C:x',
    '\\x',
    '/x',
    '\\\\host\\share\\x',
    '//host/share',
    '\\\\?\\C:\\ws\\a',
    '\\\\.\\PhysicalDrive0',
    'C:\\ws-evil\\x',
    'WS~1\\x',
    'a.txt::$DATA',
    'a.txt:hidden',
    'CON',
    'nul.txt',
    'sub\\NUL.txt',
    'COM1',
    'lpt¹.log',
    'conin$',
    '\uff23ON',
    'Ｎｕｌ.txt',
    'cloc\u212a$',
    'COM\u2074',
    'D:\\x',
    'a.',
    'a ',
    'a\\b. \\c',
    'a|b',
    'a*',
    '%APPDATA%\\x',
    '~\\x',
    'file://host/share',
    '.env',
    '.ENV',
    'keys\\k',
    'KEYS/k',
    'src/../.env',
  ])('refuses %j', (path) => {
    expect(judge(path, 'read')).toBeDefined()
  })

  it('judges globs with both separators', () => {
    expect(judgeGlob('src\\**\\*.ts', 'read')).toBeUndefined()
    expect(judgeGlob('**/.env*', 'read')).toMatchObject({ rule: 'forbiddenPathGlobs: **/.env' })
    expect(judgeGlob('D:\\**', 'read')).toBeDefined()
  })

  it('enters by spelling only', () => {
    expect(enter('src')).toEqual({ dir: 'C:\\ws\\src' })
    expect(enter('D:\\x')).toHaveProperty('found')
  })

  it('wants an absolute root of that platform', () => {
    expect(() => pathPolicy({ base: 'ws', platform: 'win32' })).toThrow(/must be an absolute path/)
  })
})

interface DotnetCase {
  readonly area: string
  readonly name: string
  readonly config: {
    readonly roots?: readonly string[]
    readonly cwd?: string
    readonly forbiddenPathGlobs?: readonly string[]
    readonly fs?: {
      readonly dirs: readonly string[]
      readonly files: readonly string[]
      readonly links: Readonly<Record<string, string>>
    }
  }
  readonly call: { readonly path?: string; readonly args?: { readonly path: string } }
  readonly expect: {
    readonly allowed?: boolean
    readonly hardened?: string
    readonly terminates?: boolean
  }
  readonly why: string
}

describe('what OpenClaw.NET does with paths', () => {
  const url = new URL('../../cases/dotnet-policy.json', import.meta.url)
  const cases = (JSON.parse(readFileSync(url, 'utf8')) as readonly DotnetCase[]).filter(
    ({ area }) => area === 'path-policy',
  )

  it.each(cases)('$name', ({ config, call, expect: wanted }) => {
    const root = tempDir()
    // Not joined, which would tidy the path up.
    const at = (path: string): string => root + path
    for (const dir of [...(config.fs?.dirs ?? []), ...(config.roots ?? [])]) {
      if (dir !== '*') mkdirSync(at(dir), { recursive: true })
    }
    for (const file of config.fs?.files ?? []) writeFileSync(at(file), '')
    for (const [link, target] of Object.entries(config.fs?.links ?? {}))
      symlinkSync(at(target), at(link))
    mkdirSync(at(config.cwd ?? '/'), { recursive: true })
    const { judge } = pathPolicy({
      base: at(config.cwd ?? '/'),
      // Here `*` is a plain name: no list of directories means any, as the case wants of `["*"]`.
      within:
        config.roots && !config.roots.includes('*')
          ? { rule: 'roots', dirs: config.roots.map(at) }
          : undefined,
      forbidden: config.forbiddenPathGlobs?.map(at),
    })
    const path = call.path ?? call.args?.path ?? ''
    const found = judge(path.startsWith('/') ? at(path) : path, 'read')
    // A link to itself is refused here, since nothing can be opened there.
    const allowed = wanted.hardened === undefined && wanted.allowed === true
    expect(found === undefined).toBe(allowed)
  })
})
