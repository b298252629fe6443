// Denies, a timeout, a crash and the recovery, with a policy in a process of its own. Exits 1 when anything is
// not as it should be. `node examples/bridged-plugin/run.js`
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Toolware } from 'toolware'
import { PluginHost } from 'toolware/plugin'

const say = (text) => process.stdout.write(`${text}\n`)
const heard = []
const listen = (level) => (_fields, message) => heard.push(`${level}: ${message}`)
const log = Object.fromEntries(['debug', 'info', 'warn', 'error'].map((it) => [it, listen(it)]))

const host = new PluginHost({
  baseDir: fileURLToPath(new URL('.', import.meta.url)),
  log,
  config: {
    load: { paths: ['plugins'] },
    entries: {
      'change-freeze': {
        config: { frozen: ['deploy'] },
        // The defaults are 5 s and 1 s; nobody wants to wait that long for an example.
        bridge: { beforeTimeoutMs: 1000, backoffMs: 200 },
      },
    },
  },
})
const app = new Toolware({ log }).use(await host.load())

async function call(toolName) {
  const outcome = await app.execute(
    { toolName, params: { team: 'blue' } },
    () => `${toolName} done`,
  )
  const how = outcome.status === 'blocked' ? `${outcome.code}, ${outcome.reason}` : outcome.text
  say(`${toolName.padEnd(16)} ${outcome.status.padEnd(10)} ${how}`)
  return outcome
}

const health = () => host.reports().find(({ id }) => id === 'change-freeze')?.health

try {
  say('deny')
  assert.equal((await call('read_file')).status, 'completed')
  const denied = await call('deploy')
  assert.equal(denied.status, 'blocked')
  assert.equal(denied.executed, false)
  assert.equal(denied.by, 'plugin:change-freeze')
  assert.match(
    denied.text,
    /^Tool execution denied by hook: plugin:change-freeze\nchanges are frozen/,
  )

  say('\ntimeout: silence lets the call go on, with a warning that names the plugin')
  assert.equal((await call('book_room')).status, 'completed')
  const warning = heard.find((line) => line.startsWith('warn: plugin change-freeze did not answer'))
  assert.ok(warning, 'the log names the plugin that kept silent')
  say(warning)

  say('\ncrash: the gate is closed while the plugin is down')
  const before = health().pid
  assert.equal((await call('import_holidays')).code, 'PLUGIN_UNAVAILABLE')
  assert.equal((await call('read_file')).code, 'PLUGIN_UNAVAILABLE')

  say('\nrecovery: it was started again, and judges again')
  for (let i = 0; health().state !== 'up'; i++) {
    assert.ok(i < 1000, `the plugin should be up again and is ${health().state}`)
    await sleep(20)
  }
  assert.notEqual(health().pid, before)
  assert.equal(health().restarts, 1)
  assert.equal((await call('read_file')).status, 'completed')
  assert.equal((await call('deploy')).status, 'blocked')
} finally {
  await app.close()
}
assert.equal(health().state, 'closed')
say('\nas it should be')
