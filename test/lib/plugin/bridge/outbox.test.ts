import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { newCounters } from '../../../../lib/plugin/bridge/counters.ts'
import { Outbox } from '../../../../lib/plugin/bridge/outbox.ts'

const tick = () => new Promise((resolve) => setImmediate(resolve))

/** A pipe that takes one write and then nothing until it is opened. */
function pipe() {
  const written: string[] = []
  let done: (() => void) | undefined
  const stream = new Writable({
    highWaterMark: 1,
    write(chunk, _, callback) {
      written.push(String(chunk))
      done = callback
    },
  })
  return { written, stream, open: () => done?.() }
}

function outbox(limits = { maxNotifications: 3, maxBytes: 100 }) {
  const counters = newCounters()
  const { written, stream, open } = pipe()
  return { counters, written, stream, open, box: new Outbox(stream, limits, counters) }
}

describe('Outbox', () => {
  it('writes together what comes together', async () => {
    const { box, written } = outbox()
    box.request('a')
    box.notify('b')
    box.request('c')
    await tick()
    expect(written).toEqual(['a\nc\nb\n'])
  })

  it('waits for the pipe, keeps the newest notifications and counts the others', async () => {
    const { box, written, open, counters } = outbox()
    box.request('first')
    await tick()
    for (const line of ['1', '2', '3', '4', '5']) box.notify(line)
    await tick()
    expect(written).toEqual(['first\n'])
    expect(counters.dropped).toBe(2)
    open()
    await tick()
    expect(written).toEqual(['first\n', '3\n4\n5\n'])
  })

  it('bounds notifications by their size, and always keeps one', async () => {
    const { box, written, open, counters } = outbox()
    box.request('first')
    await tick()
    box.notify('x'.repeat(60))
    box.notify('y'.repeat(60))
    box.notify('z'.repeat(200))
    open()
    await tick()
    expect(written[1]).toBe(`${'z'.repeat(200)}\n`)
    expect(counters.dropped).toBe(2)
  })

  it('refuses requests when too much waits, unless those were given up', async () => {
    const { box, written, open } = outbox()
    box.request('first')
    await tick()
    const big = box.request('x'.repeat(90))
    expect(box.request('y'.repeat(20))).toBeUndefined()
    if (big) big.cancelled = true
    expect(box.request('y'.repeat(20))).toBeDefined()
    open()
    await tick()
    expect(written[1]).toBe(`${'y'.repeat(20)}\n`)
  })

  it('takes nothing after its end, nor after an error of the pipe', async () => {
    const ended = outbox()
    ended.box.notify('last')
    ended.box.end()
    ended.box.end()
    expect(ended.written).toEqual(['last\n'])
    expect(ended.box.request('x')).toBeUndefined()

    const broken = outbox()
    broken.box.request('a')
    await tick()
    broken.box.notify('b')
    broken.stream.destroy(new Error('EPIPE'))
    await tick()
    expect(broken.box.request('x')).toBeUndefined()
    broken.box.notify('c')
    expect(broken.counters.dropped).toBe(2)
  })
})
