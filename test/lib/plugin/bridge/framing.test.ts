import { describe, expect, it } from 'vitest'
import { LineReader } from '../../../../lib/plugin/bridge/framing.ts'

function reader(maxBytes = 1000) {
  const lines: string[] = []
  return { lines, read: new LineReader(maxBytes, (line) => lines.push(line)) }
}

describe('LineReader', () => {
  it('gives the same lines wherever the chunks are cut', () => {
    const bytes = Buffer.from('{"m":"中🙂"}\r\n\n  \nä\n\r\nlast\nrest')
    for (let first = 0; first <= bytes.length; first++) {
      for (let second = first; second <= bytes.length; second++) {
        const { lines, read } = reader()
        for (const part of [
          bytes.subarray(0, first),
          bytes.subarray(first, second),
          bytes.subarray(second),
        ]) {
          expect(read.push(part)).toBe(true)
        }
        expect(lines).toEqual(['{"m":"中🙂"}', '  ', 'ä', 'last'])
        expect(read.heldBytes).toBe(4)
      }
    }
  })

  it('takes a line of the longest length and no longer one, however it comes', () => {
    for (const size of [10, 3, 1]) {
      const fits = reader(10)
      const breaks = reader(10)
      const push = (read: LineReader, text: string) => {
        let open = true
        for (let at = 0; at < text.length; at += size) {
          open = read.push(Buffer.from(text.slice(at, at + size)))
        }
        return open
      }
      expect(push(fits.read, `${'x'.repeat(10)}\n`)).toBe(true)
      expect(fits.lines).toEqual(['x'.repeat(10)])
      expect(push(breaks.read, `ok\n${'x'.repeat(11)}`)).toBe(false)
      expect(breaks.lines).toEqual(['ok'])
    }
  })

  it('reads nothing after a line that was too long', () => {
    const { lines, read } = reader(3)
    expect(read.push(Buffer.from('1234\nok\n'))).toBe(false)
    expect(read.push(Buffer.from('ok\n'))).toBe(false)
    expect(lines).toEqual([])
  })

  it('is linear in what it reads', () => {
    const { lines, read } = reader(8 * 1024 * 1024)
    const byte = Buffer.from('x')
    const started = performance.now()
    for (let i = 0; i < 400_000; i++) read.push(byte)
    const first = performance.now() - started
    read.push(Buffer.from('\n'))
    expect(lines[0]).toHaveLength(400_000)
    // Quadratic work would take minutes.
    expect(first).toBeLessThan(10_000)
  })
})
