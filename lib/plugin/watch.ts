import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

const SETTLE_MS = 100

/** Files that are watched, each under the id of its plugin. */
export interface Watcher {
  close(): void
}

/**
 * Tells the plugin's id when its file changes, once it has been quiet for 100 ms. The folder is watched and not the
 * file, since editors replace files.
 */
export function watchFiles(
  files: ReadonlyMap<string, string>,
  changed: (id: string) => void,
  failed: (id: string, error: unknown) => void,
): Watcher {
  const timers = new Map<string, ReturnType<typeof setTimeout>>()
  const watchers: FSWatcher[] = []
  for (const [id, file] of files) {
    const touch = (_event: string, name: string | null): void => {
      if (name !== null && name !== basename(file)) return
      clearTimeout(timers.get(id))
      timers.set(
        id,
        setTimeout(() => changed(id), SETTLE_MS),
      )
    }
    try {
      const watcher = watch(dirname(file), { persistent: false }, touch)
      watcher.on('error', (error) => failed(id, error))
      watchers.push(watcher)
    } catch (error) {
      failed(id, error)
    }
  }
  return {
    close() {
      for (const watcher of watchers) watcher.close()
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
    },
  }
}
