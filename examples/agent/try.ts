import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { ask } from './client.ts'
import { listen } from './listen.ts'
import type { Workspace } from './workspace.ts'

/** Has one conversation with an agent over HTTP, shows it, and throws when it went wrong. */
export async function tryAgent(handle: RequestListener, place: Workspace): Promise<void> {
  const { server, url } = await listen(handle)
  try {
    const answer = await ask({
      url,
      script: [
        { calls: [{ name: 'list_dir', arguments: { path: '.' } }] },
        { calls: [{ name: 'read_file', arguments: { path: '.env' } }] },
        { calls: [{ name: 'read_file', arguments: { path: '../../etc/passwd' } }] },
        { calls: [{ name: 'grep', arguments: { pattern: 'beans' } }] },
        { calls: [{ name: 'write_file', arguments: { path: 'done.txt', content: 'beans' } }] },
        { say: 'I looked around, was told no twice, and wrote it down: {last}.' },
      ],
    })
    for (const { name, text } of answer.tools) {
      console.log(`${name.padEnd(10)}  ${text.replaceAll('\n', '\n            ')}`)
    }
    console.log(`\nreply       ${answer.reply}`)
    console.log(`audit       ${place.auditFile}`)

    const denied = answer.tools.filter(({ text }) => text.startsWith('Tool execution denied'))
    assert.equal(denied.length, 2, 'two calls are denied')
    assert.match(answer.reply, /wrote it down: wrote 5 bytes/)
    const records = readFileSync(place.auditFile, 'utf8').trimEnd().split('\n')
    assert.equal(records.length, 10, 'two records for each of the five calls')
  } finally {
    server.close()
  }
}
