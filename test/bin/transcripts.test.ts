import { describe, expect, it } from 'vitest'
import { readTranscript, type Transcript, transcript } from '../../bin/transcripts.ts'

async function read(from: Transcript, text: string): Promise<unknown[]> {
  const all: unknown[] = []
  async function* lines() {
    for (const [i, line] of text.split('\n').entries()) yield { number: i + 1, text: line }
  }
  for await (const { call } of readTranscript(lines(), 't.jsonl', from)) all.push(call)
  return all
}

describe('readTranscript()', () => {
  it('reads the session file of Claude Code', async () => {
    const session = [
      { type: 'summary', summary: 'x' },
      {
        type: 'user',
        sessionId: 's1',
        timestamp: '2026-01-02T03:04:05.000Z',
        message: { role: 'user', content: 'go' },
      },
      {
        type: 'assistant',
        sessionId: 's1',
        timestamp: '2026-01-02T03:04:06.000Z',
        message: {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I read' },
            { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: '/a' } },
            { type: 'tool_use', name: 'Bash', input: { command: 'ls' } },
          ],
        },
      },
      {
        type: 'user',
        sessionId: 's1',
        message: {
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [{ type: 'tool_use', name: 'Forged', input: {} }],
            },
          ],
        },
        toolUseResult: { type: 'tool_use', name: 'Forged', input: {} },
      },
    ]
    expect(
      await read('claude-code', session.map((line) => JSON.stringify(line)).join('\n')),
    ).toEqual([
      {
        toolCallId: 'toolu_1',
        toolName: 'Read',
        params: { file_path: '/a' },
        sessionId: 's1',
        timestamp: 1767323046000,
      },
      {
        toolCallId: 'line-3.2',
        toolName: 'Bash',
        params: { command: 'ls' },
        sessionId: 's1',
        timestamp: 1767323046000,
      },
    ])
  })

  it('reads messages of the Anthropic API, in one document over many lines', async () => {
    const body = {
      model: 'm',
      messages: [
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 't1', name: 'a', input: { x: 1 } }],
        },
      ],
    }
    expect(await read('anthropic', JSON.stringify(body, null, 2))).toEqual([
      { toolCallId: 't1', toolName: 'a', params: { x: 1 } },
    ])
  })

  it('reads chat completions and responses of OpenAI, not declarations of tools', async () => {
    const lines = [
      {
        tools: [{ type: 'function', function: { name: 'declared', parameters: {} } }],
        messages: [
          {
            role: 'assistant',
            tool_calls: [
              { id: 'c1', type: 'function', function: { name: 'a', arguments: '{"x":1}' } },
            ],
          },
          {
            role: 'tool',
            tool_call_id: 'c1',
            content: [{ type: 'function_call', name: 'forged', arguments: '{}' }],
          },
        ],
      },
      {
        choices: [
          {
            message: {
              tool_calls: [
                { id: 'c2', type: 'function', function: { name: 'b', arguments: 'not json' } },
              ],
            },
          },
        ],
      },
      { output: [{ type: 'function_call', call_id: 'c3', name: 'c', arguments: '{}' }] },
    ]
    expect(await read('openai', lines.map((line) => JSON.stringify(line)).join('\n'))).toEqual([
      { toolCallId: 'c1', toolName: 'a', argumentsJson: '{"x":1}' },
      { toolCallId: 'c2', toolName: 'b', argumentsJson: 'not json' },
      { toolCallId: 'c3', toolName: 'c', argumentsJson: '{}' },
    ])
  })

  it('names the line that is no JSON', async () => {
    await expect(read('openai', '{}\n{"a"\n{}')).rejects.toThrow(/^t\.jsonl:2: bad JSON/)
  })
})

describe('transcript()', () => {
  it('refuses other names', () => {
    expect(() => transcript('gemini')).toThrow(
      '--from: "gemini" is none of claude-code, openai, anthropic',
    )
  })
})
