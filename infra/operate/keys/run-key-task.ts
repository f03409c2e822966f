import { randomBytes } from 'node:crypto'
import type { KeyStore, ShownKeys } from './key-store.ts'
import { plain, printable } from '../../terminal/paint.ts'
import type { KeyTask } from './parse-key-words.ts'
import { textTable } from '../../terminal/text-table.ts'

type Console = {
  say(line: string): void
  /** Keys from stdin. */
  readKeys(provider: string): Promise<readonly string[]>
}

const KEY_BYTES = 32
const NO_LIMIT = Number.MAX_SAFE_INTEGER

/** Does what was asked with the keys of one place. A key is shown once: when it was made here. */
export async function runKeyTask(task: KeyTask, store: KeyStore, { say, readKeys }: Console): Promise<void> {
  switch (task.do) {
    case 'list':
      for (const line of keyLines(await store.list(), store.place)) say(line)
      return
    case 'set': {
      const keys = await readKeys(task.provider)
      await store.setProvider(task.provider, keys)
      say(`${task.provider}: ${keys.length === 1 ? '1 key' : `${keys.length} keys`} saved in ${store.place}.`)
      break
    }
    case 'add-client': {
      const key = `backstop-${randomBytes(KEY_BYTES).toString('base64url')}`
      const name = await store.addClient(task.client, key)
      say(key)
      say(`This key is shown only once. To revoke it: ${store.call('keys', 'remove', 'client', name)}`)
      break
    }
    case 'remove':
      await store.removeProvider(task.provider)
      say(`${task.provider}: removed from ${store.place}.`)
      break
    case 'remove-client':
      await store.removeClient(task.client)
      say(`client ${task.client}: removed from ${store.place}.`)
      break
  }
  say(await store.afterwards())
}

function keyLines(keys: readonly ShownKeys[], place: string): string[] {
  if (keys.length === 0) return [`No keys in ${place}.`]
  const rows = keys.map(({ kind, name, fingerprints }) =>
    [kind, printable(name), fingerprints.join(' ')].map(text => ({ text })),
  )
  const columns = ['for', 'name', 'fingerprints'].map(title => ({ title }))
  const { title, lines } = textTable(columns, rows, { width: NO_LIMIT, paint: plain })
  return [title, ...lines]
}
