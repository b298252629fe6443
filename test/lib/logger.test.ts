import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { auditLogger } from '../../lib/logger.ts'
import { tempDir } from '../helpers/temp.ts'

describe('auditLogger()', () => {
  it('writes a JSON line with level, time of the clock, fields and message', () => {
    const file = join(tempDir(), 'audit.jsonl')
    const { log, close } = auditLogger({ file, clock: () => 1234 })
    log.info({ event: 'arrived', toolName: 'a' }, 'tool call arrived')
    log.debug({ n: 1 }, 'detail')
    close()
    expect(readFileSync(file, 'utf8').split('\n')).toEqual([
      '{"level":"info","time":1234,"event":"arrived","toolName":"a","msg":"tool call arrived"}',
      '{"level":"debug","time":1234,"n":1,"msg":"detail"}',
      '',
    ])
  })

  it('throws from the log call when the record cannot be written', () => {
    const { log } = auditLogger({ file: '/dev/full' })
    expect(() => log.info({}, 'x')).toThrow(/ENOSPC/)
  })
})

describe('defaultLogger()', () => {
  it('writes warnings and worse, redacted, to stderr only, also right before the process exits', () => {
    const url = pathToFileURL(join(import.meta.dirname, '../../lib/logger.ts')).href
    const jiti = pathToFileURL(
      join(import.meta.dirname, '../../node_modules/jiti/lib/jiti.mjs'),
    ).href
    const script = `
      import { createJiti } from ${JSON.stringify(jiti)}
      const { defaultLogger } = await createJiti(import.meta.url).import(${JSON.stringify(url)})
      const log = defaultLogger()
      log.debug({}, 'no'); log.info({}, 'no')
      log.warn({ hook: 'a', password: 'hunter2' }, 'careful 100% https://u:p@h/')
      log.error({ err: new Error('token=abc') }, 'bad')
      process.exit(3)`
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    })
    expect(run.status).toBe(3)
    expect(run.stdout).toBe('')
    const [warning, error, ...rest] = run.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rest).toEqual([])
    expect(warning).toMatchObject({
      level: 'warn',
      hook: 'a',
      password: '[redacted]',
      msg: 'careful 100% https://[redacted]@h/',
    })
    expect(error).toMatchObject({
      level: 'error',
      err: { name: 'Error', message: 'token=[redacted]' },
    })
    expect(error.err.stack).toContain('at ')
  })
})
