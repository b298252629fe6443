import { describe, expect, it } from 'vitest'
import { type NumberedCall, readCalls } from '../../bin/calls.ts'

async function read(...texts: string[]): Promise<NumberedCall[]> {
  const all: NumberedCall[] = []
  async function* lines() {
    for (const [i, text] of texts.entries()) yield { number: i + 1, text }
  }
  for await (const call of readCalls(lines(), 'calls.jsonl')) all.push(call)
  return all
}

describe('readCalls()', () => {
  it('reads a call a line, skips blank lines, and names calls without an id by their line', async () => {
    expect(
      await read(
        '{"toolName":"a","params":{}}',
        '  ',
        '{"toolName":"b","toolCallId":"x"}',
        '{"toolName":"c"}',
      ),
    ).toEqual([
      { line: 1, call: { toolCallId: 'line-1', toolName: 'a', params: {} } },
      { line: 3, call: { toolCallId: 'x', toolName: 'b' } },
      { line: 4, call: { toolCallId: 'line-4', toolName: 'c' } },
    ])
  })

  it('reads every fact of a call, and takes null for unknown', async () => {
    const call = {
      toolName: 'a',
      argumentsJson: '{}',
      toolCallId: 'i',
      runId: 'r',
      parentCallId: 'p',
      sessionId: 's',
      sessionKey: 'k',
      channelId: 'c',
      senderId: 'u',
      correlationId: 'x',
      agentId: 'g',
      requester: {
        channel: 'c',
        accountId: 'a',
        senderId: 'u',
        senderIsOwner: true,
        roleIds: ['r'],
      },
      toolKind: 't',
      toolInputKind: 'i',
      derivedPaths: ['p'],
      execHost: 'node',
      messageProvider: 'm',
      isStreaming: false,
      trace: { id: 1 },
      timestamp: 5,
    }
    expect((await read(JSON.stringify(call)))[0]?.call).toEqual(call)
    expect((await read('{"toolName":"a","sessionId":null,"toolCallId":null}'))[0]?.call).toEqual({
      toolName: 'a',
      toolCallId: 'line-1',
    })
  })

  it('leaves names and arguments of a wrong shape to the pipeline', async () => {
    expect((await read('{"toolName":5,"params":[1]}'))[0]?.call).toMatchObject({
      toolName: 5,
      params: [1],
    })
  })

  it.each([
    ['{"toolName":"a"', /^calls\.jsonl:2: bad JSON: /],
    ['[1]', /^calls\.jsonl:2: \[1\] is no object; a call is \{"toolName": \.\.\.\}$/],
    ['"x"', /^calls\.jsonl:2: "x" is no object/],
    ['null', /^calls\.jsonl:2: null is no object/],
    ['{"toolName":"a","param":{}}', /^calls\.jsonl:2: unknown key "param"; did you mean params\?$/],
    [
      '{"toolName":"a","__proto__":{}}',
      /^calls\.jsonl:2: unknown key "__proto__"; known are toolName, params/,
    ],
    [
      '{"toolName":"a","requester":{"senderID":"x"}}',
      /^calls\.jsonl:2: unknown key "requester\.senderID"; did you mean senderId\?$/,
    ],
    ['{"toolName":"a","signal":{}}', /^calls\.jsonl:2: unknown key "signal"/],
    ['{"toolName":"a","constructor":1}', /^calls\.jsonl:2: unknown key "constructor"/],
    ['{"toolName":"a","requester":{"owner":true}}', /unknown key "requester\.owner"/],
    [
      '{"toolName":"a","params":{},"argumentsJson":"{}"}',
      /^calls\.jsonl:2: both params and argumentsJson are given; give one$/,
    ],
    ['{"toolName":"a","sessionId":5}', /^calls\.jsonl:2: sessionId: 5 is not a text$/],
    ['{"toolName":"a","timestamp":"now"}', /^calls\.jsonl:2: timestamp: "now" is not a number$/],
    ['{"toolName":"a","isStreaming":1}', /isStreaming: 1 is not true or false$/],
    ['{"toolName":"a","derivedPaths":"x"}', /derivedPaths: "x" is not a list of texts$/],
    ['{"toolName":"a","execHost":"moon"}', /execHost: "moon" is not gateway, sandbox or node$/],
    ['{"toolName":"a","requester":[]}', /requester: \[\] is not an object$/],
    ['{"toolName":"a\nb"}', /^calls\.jsonl:2: bad JSON: [^\n]*$/],
  ])('refuses %s', async (text, message) => {
    await expect(read('{"toolName":"ok"}', text)).rejects.toThrow(message)
  })
})
