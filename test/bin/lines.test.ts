import { describe, expect, it } from 'vitest'
import { type Line, readLines } from '../../bin/lines.ts'

async function lines(...chunks: (string | Uint8Array)[]): Promise<Line[]> {
  const all: Line[] = []
  async function* source(): AsyncGenerator<string | Uint8Array> {
    yield* chunks
  }
  for await (const line of readLines(source(), 'calls.jsonl')) all.push(line)
  return all
}
const texts = async (...chunks: (string | Uint8Array)[]): Promise<string[]> =>
  (await lines(...chunks)).map(({ text }) => text)

describe('readLines()', () => {
  it('numbers lines from 1 and needs no line feed at the end', async () => {
    expect(await lines('a\n\nb')).toEqual([
      { number: 1, text: 'a' },
      { number: 2, text: '' },
      { number: 3, text: 'b' },
    ])
    expect(await lines('a\n')).toHaveLength(1)
    expect(await lines()).toEqual([])
  })

  it('drops a byte order mark at the start, and carriage returns at line ends', async () => {
    expect(await texts('\ufeffa\r\nb\rc\r\n\ufeffd')).toEqual(['a', 'b\rc', '\ufeffd'])
  })

  it('splits at line feeds only', async () => {
    expect(await texts('a\u2028b\u2029c\u0085d\ve\n')).toEqual(['a\u2028b\u2029c\u0085d\ve'])
  })

  it('puts lines and characters together that chunks cut apart', async () => {
    const bytes = Buffer.from('{"a":"grüße 😀"}\nnext\n')
    const chunks = [...bytes].map((byte) => Uint8Array.of(byte))
    expect(await texts(...chunks)).toEqual(['{"a":"grüße 😀"}', 'next'])
  })

  it('names the line that is not UTF-8', async () => {
    await expect(texts('ok\n', Uint8Array.of(0x22, 0xff, 0x22, 10))).rejects.toThrow(
      'calls.jsonl:2: the line is not UTF-8 text',
    )
  })
})
