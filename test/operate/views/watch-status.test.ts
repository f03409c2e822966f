import { callsAbout } from '../../../infra/operate/fleet/command-call.ts'
import { expect, test } from 'vitest'
import type { FleetStatus } from '../../../infra/operate/views/fleet-status.ts'
import { watchStatus } from '../../../infra/operate/views/watch-status.ts'
import { DEFAULT_SETTINGS } from '../../../lambdas/core/settings/settings.ts'

const status = (mode: FleetStatus['mode']): FleetStatus => ({
  models: [],
  rows: [],
  mode,
  overrides: {},
  settings: DEFAULT_SETTINGS,
  healthDisabled: false,
  warnings: [],
  tableTrouble: null,
  tableReadAt: null,
  stack: null,
  call: callsAbout({}),
})

/** Watches while the looks last: a mode is what a look finds, anything else what it fails with. */
async function watch(looks: readonly string[], redraw: boolean) {
  const left = new AbortController()
  const queue = [...looks]
  const written = { out: '', complaints: '' }
  await watchStatus({
    read: () => {
      const look = queue.shift() ?? ''
      if (queue.length === 0) left.abort()
      if (look === 'normal' || look === 'degraded') return Promise.resolve(status(look))
      return Promise.reject(new Error(look))
    },
    textOf: ({ mode }) => `${mode}\n`,
    separator: '\n',
    output: { write: text => void (written.out += text) },
    complain: text => void (written.complaints += text),
    redraw,
    signal: left.signal,
    everyMs: 1,
  })
  return written
}

test('in a pipe, each change is one block', async () => {
  const { out } = await watch(['normal', 'normal', 'degraded', 'degraded', 'normal'], false)
  expect(out).toBe('normal\n\ndegraded\n\nnormal\n')
})

test('on a terminal, each look is drawn over the one before', async () => {
  const clear = '\u001B[H\u001B[2J'
  expect((await watch(['normal', 'normal'], true)).out).toBe(`${clear}normal\n${clear}normal\n`)
})

test('what fails meanwhile is told once, and watching goes on', async () => {
  const { out, complaints } = await watch(['normal', 'gone', 'gone', 'normal', 'degraded'], false)
  expect([out, complaints]).toEqual(['normal\n\ndegraded\n', 'gone\n'])
})

test('a first look that fails ends it', async () => {
  await expect(watch(['gone', 'normal'], false)).rejects.toThrow('gone')
})
