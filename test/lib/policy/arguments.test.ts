import { describe, expect, it } from 'vitest'
import { isUrlName, nameKind } from '../../../lib/policy/argument-names.ts'
import { collectArguments } from '../../../lib/policy/arguments.ts'
import { accessOf, catalogue, type ToolDeclaration } from '../../../lib/policy/catalogue.ts'
import type { Params } from '../../../lib/types.ts'

const known = catalogue()

function collect(toolName: string, params: Params, declaration?: ToolDeclaration) {
  const tools = declaration ? catalogue({ [toolName]: declaration }) : known
  const { paths, globs, patches, bad, cwds } = collectArguments(params, tools.find(toolName).facts)
  return {
    paths: Object.fromEntries(paths.map(({ at, text }) => [at, text])),
    globs: Object.fromEntries(globs.map(({ at, text }) => [at, text])),
    patches: patches.map(({ at }) => at),
    bad: bad && `${bad.at}: ${bad.found.reason}`,
    cwd: cwds[0]?.text,
  }
}

describe('collectArguments()', () => {
  it.each<[string, Params, Record<string, string>]>([
    [
      'read_file',
      { path: 'a', extra: { file: '/etc/passwd' } },
      { path: 'a', 'extra.file': '/etc/passwd' },
    ],
    [
      'x',
      { attachments: [{ name: 'x', file: { path: '/etc/hosts' } }] },
      { 'attachments[0].file.path': '/etc/hosts' },
    ],
    [
      'multi_edit',
      { edits: [{ path: 'a' }, { path: '../b' }] },
      { 'edits[0].path': 'a', 'edits[1].path': '../b' },
    ],
    [
      'x',
      { File_Path: 'a', 'out-dir': 'b', targetFile: 'c' },
      { File_Path: 'a', 'out-dir': 'b', targetFile: 'c' },
    ],
    ['x', { paths: ['a', ['b']] }, { 'paths[0]': 'a', 'paths[1][0]': 'b' }],
    [
      'x',
      { directories: ['a'], image_paths: ['/x.png'] },
      { 'directories[0]': 'a', 'image_paths[0]': '/x.png' },
    ],
    [
      'x',
      { output: 'text', from: 'me', to: '../x', source: 'C:\\x' },
      { to: '../x', source: 'C:\\x' },
    ],
    ['x', { uri: 'file:///etc/passwd', url: '/v1/users' }, { uri: 'file:///etc/passwd' }],
    ['x', { url: 'https://example.org/a/../b', uri: 'data:x' }, {}],
    ['x', { path: 'https://example.org/x' }, {}],
    [
      'x',
      { fileUri: 'file:///a', file_url: 'FILE:/b' },
      { fileUri: 'file:///a', file_url: 'FILE:/b' },
    ],
    ['x', { callback_url: 'https://example.org/a/../b', href: '/a' }, {}],
    ['x', { href: 'file:///a' }, { href: 'file:///a' }],
    ['x', { uri: ' file:///a', url: 'fi\tl\ne:///a' }, { uri: ' file:///a', url: 'fi\tl\ne:///a' }],
    [
      'x',
      { url: 'view-source:file:///a', uri: 'git+file:///b' },
      { url: 'view-source:file:///a', uri: 'git+file:///b' },
    ],
    ['x', { url: 'profile:x', uri: 'https://x/?u=file:///a' }, {}],
    ['x', { url: '\n../x' }, { url: '\n../x' }],
    [
      'x',
      { path1: 'a', file_2: 'b', file_list: ['c'] },
      { path1: 'a', file_2: 'b', 'file_list[0]': 'c' },
    ],
    ['x', { path: 'https://x/../../../etc/passwd' }, { path: 'https://x/../../../etc/passwd' }],
    ['x', { target: 'x:/../../etc/passwd' }, { target: 'x:/../../etc/passwd' }],
    ['x', { source: { type: 'base64', data: 'AAAA', at: '/etc/x' } }, {}],
    ['x', { file: { blob: '/etc/x', text: 'hello' } }, { 'file.blob': '/etc/x' }],
    [
      'x',
      { files: { 'src/a.ts': '/* text */', '.env': 'x', name: 'y' } },
      {
        'the name files.src/a.ts': 'src/a.ts',
        'the name files..env': '.env',
      },
    ],
    [
      'x',
      { files: [{ path: 'a', content: '// x', new_text: '/* y */', body: ['/z'], at: '/w' }] },
      { 'files[0].path': 'a', 'files[0].at': '/w' },
    ],
    ['x', { file: { meta: { '../x': 1 } } }, { 'the name file.meta.../x': '../x' }],
    ['x', { rules: { 'a.b': 'c', '/v1/users': 'd' }, '/etc/x': 1 }, {}],
    ['x', { xpath: '//div', classPath: '/x', profile: '/y' }, {}],
    ['x', { content: '/etc/passwd', message: '../x', query: '~/x', old_string: '/a' }, {}],
    ['x', { config_file: 'plain', log_path: './x' }, { log_path: './x' }],
    ['x', { path: 7, file: true, dir: null }, {}],
    ['x', { exclude: ['**/.env'] }, {}],
    ['grep', { pattern: '../x', path: 'src' }, { path: 'src' }],
    ['MEMORY', { command: 'view', path: '/memories' }, { path: '/memories' }],
    ['memory', { command: 'view', path: '/memories' }, {}],
  ])('%s %j: %j', (tool, params, wanted) => {
    expect(collect(tool, params)).toMatchObject({ paths: wanted, bad: undefined })
  })

  it('reads a name alike however much stands between its letters', () => {
    for (const between of [
      '_'.repeat(60),
      '-_ '.repeat(30),
      '\uff3f'.repeat(60),
      '\u3000'.repeat(60),
    ]) {
      expect(nameKind(`p${between}ath`)).toBe('path')
      expect(nameKind(`my${between}path`)).toBe('maybe-path')
      expect(nameKind(`class${between}path`)).toBeUndefined()
      expect(isUrlName(`u${between}rl`)).toBe(true)
      expect(isUrlName(`x${between}url`)).toBe(true)
      expect(isUrlName(`url${between}x`)).toBe(false)
    }
    const bold = [...'relativeworkspacepaths'].map((c) => {
      return String.fromCodePoint(0x1d41a + c.charCodeAt(0) - 97)
    })
    expect(nameKind(bold.join('_'))).toBe('path')
  })

  it('takes globs by declaration and by name, those too that leave out', () => {
    expect(collect('glob', { pattern: '**/*.ts', path: 'src' })).toMatchObject({
      globs: { pattern: '**/*.ts' },
      paths: { path: 'src' },
    })
    expect(
      collect('read_many_files', { include: ['a/**', '!a/x'], exclude: ['**/.env'] }).globs,
    ).toEqual({
      'include[0]': 'a/**',
      'include[1]': '!a/x',
    })
    expect(collect('x', { include: 'a/*' }).globs).toEqual({ include: 'a/*' })
  })

  it('takes patches by declaration, and by name when they are some', () => {
    expect(collect('apply_patch', { input: 'anything' }).patches).toEqual(['input'])
    expect(collect('x', { patch: { op: 'add', path: '/x' } })).toMatchObject({
      paths: { 'patch.path': '/x' },
    })
    expect(collect('x', { patch: 'words', diff: '--- a/x\n+++ b/x\n' }).patches).toEqual(['diff'])
  })

  it('takes what the operator declared, and leaves what is text', () => {
    const declaration: ToolDeclaration = {
      access: 'write',
      paths: ['doc', 'parts[].at'],
      text: ['path', 'meta.file', 'items[].dir'],
    }
    const params = {
      doc: 'a',
      parts: [{ at: '/x' }],
      path: '/v1',
      deep: { path: '/v2' },
      meta: { file: '/y', dir: '/z' },
      items: [{ dir: '/q' }],
    }
    expect(collect('mine', params, declaration).paths).toEqual({
      doc: 'a',
      'parts[0].at': '/x',
      'meta.dir': '/z',
    })
  })

  it.each<[string, Params, string]>([
    [
      'read_file',
      { path: ['/etc/passwd'] },
      'path: expected a path as text, got a list; give it as declared',
    ],
    [
      'read_file',
      { path: { toString: 'x' } },
      'path: expected a path as text, got object; give it as declared',
    ],
    ['read_file', { path: 7 }, 'path: expected a path as text, got number; give it as declared'],
    ['multi_edit', { edits: {} }, 'edits: expected a list, got object; give it as declared'],
    [
      'multi_edit',
      { edits: ['x'] },
      'edits[0]: expected an object, got string; give it as declared',
    ],
    [
      'read_many_files',
      { paths: [1] },
      'paths[0]: expected a glob as text, or a list of them, got number; give it as declared',
    ],
    [
      'shell',
      { command: 'ls', cwd: ['/'] },
      'cwd: expected a directory as text, got a list; give it as declared',
    ],
  ])('refuses a declared argument of another shape: %s %j', (tool, params, problem) => {
    expect(collect(tool, params).bad).toBe(problem)
  })

  it('takes a missing argument and null for none', () => {
    expect(collect('read_file', { path: null })).toMatchObject({ paths: {}, bad: undefined })
  })

  it('takes an address behind very many blanks for a path, since nobody looks that far', () => {
    const padded = (count: number) => ({ url: `${' '.repeat(count)}file:///a` })
    expect(collect('x', padded(3000)).paths).toHaveProperty('url')
    expect(collect('x', padded(5000)).paths).toHaveProperty('url')
    expect(collect('x', { to: ' ' }).paths).toEqual({})
  })

  it('refuses more names of files than it would look up', () => {
    expect(collect('x', { paths: Array.from({ length: 501 }, () => 'a') }).bad).toMatch(
      /more than 500 files/,
    )
    expect(collect('x', { path: 'a'.repeat(32_769) }).bad).toMatch(/longer than 32768/)
  })

  it('takes what begins as a path under any name when strict, texts declared as such aside', () => {
    const params = {
      subject: '/etc/passwd',
      notes: ['~/x', 'plain', { deep: '../y', n: 1 }],
      diff: 'file:///etc/z',
      body: 'a/b',
      content: '// x',
      message: ['/y'],
      files: { 'src/a.ts': '/* z */' },
      url: '/v1/users',
      '/etc/w': true,
      map: { 'C:\\x': 'y', 'a.b': 'c' },
    }
    const strictly = (declaration?: ToolDeclaration) => {
      const { facts } = catalogue(declaration && { x: declaration }).find('x')
      const { paths } = collectArguments(params, facts, { strict: true })
      return paths.map(({ text }) => text).sort()
    }
    const all = ['../y', '/etc/passwd', '/etc/w', 'C:\\x', 'file:///etc/z', 'src/a.ts', '~/x']
    expect(strictly()).toEqual(all)
    expect(strictly({ access: 'read', text: ['subject', 'notes[].deep', '/etc/w'] })).toEqual(
      ['/etc/w', ...all].filter((text) => !['../y', '/etc/passwd', '/etc/w'].includes(text)),
    )
    expect(collectArguments(params, undefined).paths.map(({ text }) => text)).toEqual(['src/a.ts'])
  })

  it('says where a command runs', () => {
    expect(collect('shell', { command: 'ls', dir: 'src' }).cwd).toBe('src')
    expect(collect('x', { workingDirectory: 'src' }).cwd).toBe('src')
    expect(collect('x', { dir: 'src' }).cwd).toBeUndefined()
  })

  it('adds the targets that the host derived', () => {
    const { paths } = collectArguments({}, undefined, { derivedPaths: ['/etc/x'] })
    expect(paths).toEqual([{ at: 'derivedPaths[0]', text: '/etc/x' }])
  })
})

describe('nameKind()', () => {
  it.each([
    ['path', 'path'],
    ['filePaths', 'path'],
    ['notebook_path', 'path'],
    ['dst', 'path'],
    ['Directories', 'path'],
    ['ｐath', 'path'],
    ['p-a_t h', 'path'],
    ['uri', 'maybe-path'],
    ['my_custom_file', 'maybe-path'],
    ['glob', 'glob'],
    ['patch', 'patch'],
    ['patches', 'patch'],
    ['unified_diff', 'patch'],
    ['patchText', 'patch'],
    ['diffContent', 'patch'],
    ['different', undefined],
    ['include_patterns', 'glob'],
    ['fileGlobs', 'glob'],
    ['file_pattern', 'glob'],
    ['exclude_glob', undefined],
    ['ignoreGlobs', undefined],
    ['documentUri', 'maybe-path'],
    ['curl', undefined],
    ['path1', 'path'],
    ['sources_10', 'maybe-path'],
    ['dirname', 'path'],
    ['base64', undefined],
    ['exclude', undefined],
    ['content', undefined],
    ['fromage', undefined],
    ['constructor', undefined],
    ['__proto__', undefined],
    [`${'x'.repeat(200)}path`, undefined],
  ])('%s: %s', (name, kind) => {
    expect(nameKind(name)).toBe(kind)
  })
})

describe('names in other scripts', () => {
  it.each([
    ['\uFDFApath', 'maybe-path'],
    ['\u3316\u33A9th', 'maybe-path'],
    ['\u33A9th', 'path'],
    ['\uFDFA'.repeat(100), undefined],
    [`path${'\uFDFA'}`, undefined],
    ['\uFF50\uFF41\uFF54\uFF48', 'path'],
  ])('%s: %s', (name, kind) => {
    expect(nameKind(name)).toBe(kind)
  })

  it('count twice, since they have to be folded', () => {
    const names = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`é${i}`, 'x']))
    expect(collect('x', { data: names(2499) }).bad).toBeUndefined()
    expect(collect('x', { data: names(2500) }).bad).toMatch(
      /5000 names .* or 2500 that are not ASCII/,
    )
  })
})

describe('accessOf()', () => {
  const access = (toolName: string, params: Params = {}, declared = {}): string =>
    accessOf(catalogue(declared).find(toolName), params)

  it.each<[string, Params, string]>([
    ['read_file', {}, 'read'],
    ['Read', {}, 'read'],
    ['write_file', {}, 'write'],
    ['bash', {}, 'exec'],
    ['Bash', {}, 'exec'],
    ['process', {}, 'exec'],
    ['process', { action: 'list' }, 'read'],
    ['process', { action: 'LIST' }, 'exec'],
    ['process', { action: 'kill' }, 'write'],
    ['process', { action: 'KILL' }, 'exec'],
    ['process', { action: ' kill' }, 'exec'],
    ['process', { action: 'ｋｉｌｌ' }, 'exec'],
    ['process', { action: ['kill'] }, 'exec'],
    ['PROCESS', { action: 'list' }, 'exec'],
    ['process', { action: ['list'] }, 'exec'],
    ['process', { action: 'list', command: 'rm x' }, 'exec'],
    ['process', { action: 'kill', input: ['rm', 'x'] }, 'exec'],
    ['process', { action: 'list', command: '' }, 'read'],
    ['automation', {}, 'read'],
    ['automation', { action: 'replay' }, 'write'],
    ['todo', { action: 'add' }, 'write'],
    ['manage_todo_list', { operation: 'read' }, 'read'],
    ['manage_todo_list', { operation: 'write', todoList: [] }, 'write'],
    ['manage_todo_list', { action: 'list', todoList: [] }, 'write'],
    ['manage_todo_list', {}, 'write'],
    ['todo', { action: null }, 'write'],
    ['cron', { action: ['list'] }, 'write'],
    ['external_cli', { action: 'execute' }, 'exec'],
    ['memory', { action: 'save' }, 'write'],
    ['memory', { action: 'search' }, 'read'],
    ['memory', { command: 'view' }, 'read'],
    ['memory', { command: 'view', action: 'save' }, 'write'],
    ['memory', {}, 'write'],
    ['str_replace_based_edit_tool', { command: 'view' }, 'read'],
    ['str_replace_based_edit_tool', { command: 'create' }, 'write'],
    ['READ_FILE', {}, 'unknown'],
    ['BASH', {}, 'exec'],
    ['ｂash', {}, 'exec'],
    ['constructor', {}, 'unknown'],
    ['__proto__', {}, 'unknown'],
    ['my_tool', {}, 'unknown'],
    ['my_tool', { command: 'ls' }, 'exec'],
    ['my_tool', { cmd: ['ls'] }, 'exec'],
    ['my_tool', { Command: 'ls' }, 'exec'],
    ['my_tool', { 'com-mand': 'ls' }, 'exec'],
    ['my_tool', { ｃｍｄ: 'ls' }, 'exec'],
    ['my_tool', { commandment: 'ls' }, 'unknown'],
    ['my_tool', { command: 7 }, 'unknown'],
  ])('%s %j: %s', (tool, params, wanted) => {
    expect(access(tool, params)).toBe(wanted)
  })

  it('believes the operator, by exact name', () => {
    const declared = { my_tool: { access: 'read' }, bash: { access: 'read' } } as const
    expect(access('my_tool', {}, declared)).toBe('read')
    expect(access('My_Tool', {}, declared)).toBe('unknown')
    expect(access('bash', {}, declared)).toBe('read')
  })

  it('counts actions that are not listed as changing', () => {
    const jobs = {
      access: 'write',
      actions: { key: 'op', default: 'list', read: ['list', 'get'] },
    } as const
    expect(access('jobs', {}, { jobs })).toBe('read')
    expect(access('jobs', { op: 'get' }, { jobs })).toBe('read')
    expect(access('jobs', { op: 'delete' }, { jobs })).toBe('write')
    expect(access('jobs', { op: 'x' }, { jobs: { ...jobs, access: 'read' } })).toBe('write')
  })
})
