import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeText, isSecretKey, redactText, redactValue } from '../../lib/redact.ts'

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'
const PEM = '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabc\n-----END RSA PRIVATE KEY-----'

describe('redactText()', () => {
  it.each([
    ['AWS key', 'key AKIAIOSFODNN7EXAMPLE end', 'key [redacted] end'],
    ['GitHub token', 'ghp_0123456789abcdefABCDEF0123456789abcd', '[redacted]'],
    ['fine-grained GitHub token', 'github_pat_11ABCDEFG0123456789_abcdef', '[redacted]'],
    ['Slack token', 'use xoxb-123456789012-abcdef', 'use [redacted]'],
    ['Google key', 'AIzaSyA-0123456789abcdefghijklmnopqrstuv', '[redacted]'],
    ['OpenAI key', 'sk-proj-abcdefghijklmnop0123456789', '[redacted]'],
    ['Stripe key', 'sk_live_abcdefghijkl0123', '[redacted]'],
    ['JSON Web Token', `jwt ${JWT}!`, 'jwt [redacted]!'],
    ['bearer header', 'Bearer abc.def.ghi', 'Bearer [redacted]'],
    [
      'basic header',
      'curl -H "Authorization: Basic dTpwdw==" x',
      'curl -H "Authorization: [redacted]" x',
    ],
    ['cookie header', "-H 'Cookie: sid=1; a=b' x", "-H 'Cookie: [redacted]' x"],
    ['URL with a password', 'https://u:p@host/x', 'https://[redacted]@host/x'],
    ['URL with @ in the password', 'postgres://u:p@ss@db/x', 'postgres://[redacted]@db/x'],
    ['private key', `a ${PEM} b`, 'a [redacted] b'],
    ['private key that was cut', 'a -----BEGIN PRIVATE KEY-----\nMIIE', 'a [redacted]'],
    ['assignment', 'DB_PASSWORD=hunter2 npm start', 'DB_PASSWORD=[redacted] npm start'],
    ['quoted assignment', `export API_KEY='a b' x`, `export API_KEY='[redacted]' x`],
    ['flag', 'login --password hunter2 --user a', 'login --password [redacted] --user a'],
    ['flag with =', 'login --auth-token=hunter2', 'login --auth-token=[redacted]'],
    ['curl login', 'curl -u bob:hunter2 x', 'curl -u bob:[redacted] x'],
    ['JSON text', '{"password":"a\\"b","n":1}', '{"password":"[redacted]","n":1}'],
    [
      'JSON in JSON',
      '{"t":"{\\"apiKey\\":\\"hunter2\\"}"}',
      '{"t":"{\\"apiKey\\":\\"[redacted]\\"}"}',
    ],
    ['query', '/x?access_token=hunter2&a=1', '/x?access_token=[redacted]&a=1'],
    ['YAML', 'secretAccessKey: hunter2\nnext: 1', 'secretAccessKey: [redacted]\nnext: 1'],
  ])('masks a %s', (_, text, shown) => {
    expect(redactText(text)).toBe(shown)
  })

  it.each([
    'the author of task-0123456789abcdef0',
    'max_tokens: 100, tokens=5',
    'http://localhost:8080/a@b',
    'docker run -u 1000:1000 node',
    'disk-usage-report-for-2026-11-30',
    'ssh-keygen -y writes -----BEGIN PUBLIC KEY-----',
    'bearer of bad news',
  ])('leaves %j alone', (text) => {
    expect(redactText(text)).toBe(text)
  })

  it('masks a key before it could be cut in half', () => {
    const text = `${'x'.repeat(95)} AKIAIOSFODNN7EXAMPLE`
    expect(redactText(text).slice(0, 100)).not.toContain('AKIA')
  })

  it('shows control, bidi and invisible characters as escapes and keeps line feeds and tabs', () => {
    expect(redactText('a\u001b[2Jb\u202ec\u200bd\u2028e\u0085f\rg\r\n\th')).toBe(
      'a\\u001b[2Jb\\u202ec\\u200bd\\u2028e\\u0085f\\u000dg\r\n\th',
    )
  })

  it('changes nothing the second time', () => {
    const word = fc.constantFrom(
      'password',
      'token',
      '=',
      ':',
      ' ',
      '"',
      "'",
      '\\',
      '://',
      '@',
      'a',
      'sk-',
      'Bearer ',
      'x'.repeat(20),
      '--',
      '-u ',
      'Cookie: ',
      '\n',
      '\u202e',
      '-----BEGIN PRIVATE KEY-----',
      '-----END PRIVATE KEY-----',
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), (words) => {
        const once = redactText(words.join(''))
        expect(redactText(once)).toBe(once)
      }),
    )
  })

  it.each([
    'eyJ',
    'sk-',
    '-----BEGIN PRIVATE KEY-----',
    '://a:',
    'password',
    'password="',
    'password=\\"',
    '--',
    '-u a',
    'Bearer ',
    'AKIA',
    'a.',
    '\\',
    '\u202e',
  ])('takes linear time on many %j', (unit) => {
    const time = (size: number): number => {
      const text = unit.repeat(Math.ceil(size / unit.length))
      const started = process.cpuUsage().user
      redactText(text)
      return process.cpuUsage(undefined).user - started
    }
    time(10_000)
    expect(time(400_000)).toBeLessThan(4_000_000)
  })
})

describe('redactValue()', () => {
  it('masks by key at any depth and by shape in every text', () => {
    expect(
      redactValue({
        user: 'ann',
        password: 'hunter2',
        headers: { Authorization: 'Basic x', 'X-Api-Key': 'k', accept: 'Bearer abcdefgh1' },
        list: [{ client_secret: { a: 1 } }, 'https://u:p@h/'],
      }),
    ).toEqual({
      user: 'ann',
      password: '[redacted]',
      headers: {
        Authorization: '[redacted]',
        'X-Api-Key': '[redacted]',
        accept: 'Bearer [redacted]',
      },
      list: [{ client_secret: '[redacted]' }, 'https://[redacted]@h/'],
    })
  })

  it('bounds what it looks at, and says that there was more', () => {
    const wide = Object.fromEntries(Array.from({ length: 120_000 }, (_, i) => [`k${i}`, i]))
    const shown = redactValue(wide) as Record<string, unknown>
    expect(Object.keys(shown).length).toBeLessThanOrEqual(100_001)
    expect(shown['[more]']).toBe(true)
  })

  it('tells two keys apart that look the same once masked', () => {
    const [a, b] = ['sk-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'sk-bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb']
    const shown = redactValue({ [a]: 1, [b]: 2 }) as Record<string, unknown>
    expect(Object.values(shown)).toEqual([1, 2])
    expect(JSON.stringify(shown)).not.toMatch(/aaaa|bbbb/)
  })

  it('names what is no plain data', () => {
    const value = { bytes: new ArrayBuffer(3), set: new Set([1]), later: Promise.resolve() }
    expect(redactValue(value)).toEqual({
      bytes: '[3 bytes]',
      set: '[set of 1]',
      later: '[promise]',
    })
  })

  it('keeps what is evidence', () => {
    const value = { author: 'ann', max_tokens: 5, privateRepo: true, token: null, b: { x: 'seen' } }
    expect(redactValue(value)).toEqual(value)
  })

  it('masks the word after a secret flag and the value beside a secret name', () => {
    expect(redactValue(['login', '--password', 'hunter2', '--verbose', 'yes'])).toEqual([
      'login',
      '--password',
      '[redacted]',
      '--verbose',
      'yes',
    ])
    expect(redactValue([['Cookie', 'sid=1'], { name: 'API_KEY', value: 'k' }])).toEqual([
      ['Cookie', '[redacted]'],
      { name: 'API_KEY', value: '[redacted]' },
    ])
  })

  it('does not change or share the live object', () => {
    const live = { params: { password: 'hunter2' }, list: [1] }
    const before = structuredClone(live)
    const copy = redactValue(live) as typeof live
    copy.list.push(2)
    expect(live).toEqual(before)
  })

  it('puts placeholders for what JSON does not know, and runs no foreign code', () => {
    let touched = 0
    const cyclic: Record<string, unknown> = { a: 1 }
    cyclic.self = cyclic
    const value = {
      cyclic,
      big: 12n,
      nan: Number.NaN,
      fn: () => 1,
      sym: Symbol('s'),
      date: new Date(0),
      bytes: new Uint8Array(50_000_000),
      map: new Map([[1, 2]]),
      error: new Error('token=abc'),
      proxy: new Proxy(
        {},
        {
          ownKeys: () => {
            touched++
            return []
          },
        },
      ),
      get trap() {
        touched++
        return 1
      },
      toJSON() {
        touched++
        return 1
      },
    }
    expect(JSON.parse(JSON.stringify(redactValue(value)))).toEqual({
      cyclic: { a: 1, self: '[cycle]' },
      big: '12n',
      nan: 'NaN',
      fn: '[function]',
      sym: '[symbol]',
      date: '1970-01-01T00:00:00.000Z',
      bytes: '[50000000 bytes]',
      map: '[map of 1]',
      error: {
        name: 'Error',
        message: 'token=[redacted]',
        stack: expect.stringContaining('Error: token=[redacted]'),
      },
      proxy: '[proxy]',
      trap: '[getter]',
      toJSON: '[function]',
    })
    expect(touched).toBe(0)
  })

  it('bounds depth and size', () => {
    let deep: unknown = 'end'
    for (let i = 0; i < 100_000; i++) deep = [deep]
    expect(JSON.stringify(redactValue(deep))).toContain('[too deep]')
    expect(JSON.stringify(redactValue(new Array(200_000).fill(0))).length).toBeLessThan(250_000)
  })

  it('keeps keys named __proto__ as data', () => {
    const copy = redactValue(JSON.parse('{"__proto__":{"a":1}}')) as Record<string, unknown>
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":1}}')
    expect(({} as { a?: unknown }).a).toBeUndefined()
  })
})

describe('isSecretKey()', () => {
  it('knows the usual spellings', () => {
    const secret = [
      'apiKey',
      'API_KEY',
      'x-api-key',
      'dbpassword',
      'authToken',
      'private_key',
      'Cookie',
      'pwd',
      'awsSecretAccessKey',
    ]
    const plain = ['author', 'path', 'command', 'key', 'cwd', 'sessionId', 'monkey']
    expect(secret.filter((key) => !isSecretKey(key))).toEqual([])
    expect(plain.filter(isSecretKey)).toEqual([])
  })
})

describe('escapeText()', () => {
  it('keeps emoji and other scripts readable', () => {
    expect(escapeText('grüße 😀 日本')).toBe('grüße 😀 日本')
  })
})
