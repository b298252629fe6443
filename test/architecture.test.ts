import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import * as root from '../lib/index.ts'

const top = fileURLToPath(new URL('..', import.meta.url))

interface Imports {
  /** Of packages and of files, the latter relative to the top; what types alone need is left out. */
  readonly runtime: readonly string[]
  readonly types: readonly string[]
}

/** Every import of a source file. */
function importsOf(file: string): Imports {
  const text = readFileSync(join(top, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const runtime: string[] = []
  const types: string[] = []
  const statement =
    /(?:^|\n)\s*(import|export)\s+(type\s+)?([^'"()]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g
  for (const [, keyword, type, names, from, dynamic] of text.matchAll(statement)) {
    if (keyword === 'export' && names === undefined) continue
    const target = (dynamic ?? from) as string
    const resolved = target.startsWith('.')
      ? relative(top, join(top, dirname(file), target))
      : target
    const inner = names?.match(/\{([\s\S]*)\}/)?.[1]
    const onlyTypes =
      type !== undefined ||
      (inner !== undefined &&
        !/^\s*\w+\s*,/.test(names ?? '') &&
        inner.split(',').every((name) => /^\s*(type\s|$)/.test(name)))
    ;(onlyTypes ? types : runtime).push(resolved)
  }
  return { runtime, types }
}

const files = ['lib', 'middleware', 'bin'].flatMap((dir) => listFiles(dir))

function listFiles(dir: string): string[] {
  if (!existsSync(join(top, dir))) return []
  return globFiles(join(top, dir)).map((file) => relative(top, file))
}

function globFiles(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
}

const graph = new Map(files.map((file) => [file, importsOf(file)]))

const importers = (name: string): string[] =>
  files.filter((file) => {
    const { runtime, types } = graph.get(file) as Imports
    return [...runtime, ...types].some((target) => target === name || target.startsWith(`${name}/`))
  })

/** All files and packages that an entry loads. */
function reach(entry: string): Set<string> {
  const seen = new Set<string>()
  const todo = [entry]
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    todo.push(...(graph.get(file)?.runtime ?? []))
  }
  return seen
}

describe('the house', () => {
  it('reads the imports of every file', () => {
    expect(files.length).toBeGreaterThan(30)
    expect(graph.get('lib/compose.ts')?.runtime).toContain('koa-compose')
  })

  it('lets arrows point one way: bin, middleware, lib', () => {
    const wrong = files.flatMap((file) => {
      const { runtime, types } = graph.get(file) as Imports
      const forbidden = file.startsWith('lib/')
        ? /^(middleware|bin)\//
        : file.startsWith('middleware/')
          ? /^bin\//
          : /^$/
      return [...runtime, ...types]
        .filter((target) => forbidden.test(target))
        .map((target) => `${file} -> ${target}`)
    })
    expect(wrong).toEqual([])
  })

  it('has no cycle among the files of lib', () => {
    const cycles: string[] = []
    const done = new Set<string>()
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '))
      else if (!done.has(file)) {
        for (const target of graph.get(file)?.runtime ?? []) visit(target, [...path, file])
        done.add(file)
      }
    }
    for (const file of files) visit(file, [])
    expect(cycles).toEqual([])
  })

  it('keeps hooks and mounts apart from one another', () => {
    // `semantic-kernel-policy` is a preset over `rate-limit`.
    const allowed = new Set([
      'middleware/hooks/semantic-kernel-policy.ts -> middleware/hooks/rate-limit.ts',
    ])
    const unit = (file: string): string | undefined =>
      file.match(/^middleware\/(?:hooks|mounts)\/([^/]+?)(?:\.ts|\/)/)?.[1]
    const wrong = files
      .filter((file) => unit(file) !== undefined && unit(file) !== 'index')
      .flatMap((file) =>
        (graph.get(file) as Imports).runtime
          .filter((target) => unit(target) !== undefined && unit(target) !== unit(file))
          .map((target) => `${file} -> ${target}`),
      )
      .filter((arrow) => !allowed.has(arrow))
    expect(wrong).toEqual([])
  })

  const single: Array<[string, string]> = [
    ['koa-compose', 'lib/compose.ts'],
    ['picomatch', 'lib/policy/glob.ts'],
    ['p-timeout', 'lib/deadline.ts'],
    ['pino', 'lib/logger.ts'],
    ['unbash', 'lib/policy/shell/parser.ts'],
    ['jiti', 'lib/load-module.ts'],
  ]
  for (const [name, file] of single) {
    it(`imports ${name} in one file`, () => {
      expect(importers(name)).toEqual([file])
    })
  }

  it('reaches neither child processes nor optional packages from the root entry', () => {
    const reached = [...reach('lib/index.ts')].filter((target) => !target.startsWith('lib/'))
    expect(reached.filter((target) => !target.startsWith('node:')).sort()).toEqual([
      'koa-compose',
      'p-timeout',
      'picomatch',
      'pino',
    ])
    expect(reached).not.toContain('node:child_process')
  })

  it('keeps files small', () => {
    const long = files.filter(
      (file) => readFileSync(join(top, file), 'utf8').split('\n').length > 500,
    )
    expect(long).toEqual([])
  })
})

describe('public names', () => {
  it('are those of the design', () => {
    expect(Object.keys(root).sort()).toEqual([
      'ToolDeniedError',
      'Toolware',
      'ToolwareError',
      'adapt',
      'ask',
      'boundDetails',
      'compose',
      'currentCall',
      'deny',
      'filterExecEnv',
      'isToolwareError',
      'rewrite',
      'streamSafe',
    ])
  })
})
