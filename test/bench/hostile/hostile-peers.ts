import { parentPort } from 'node:worker_threads'
import { chatStream } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { HOSTILE_INPUTS, type HostileInput } from './hostile-inputs.ts'

/** What the gateway's thread asks of this one: to play an upstream, or to be a client. */
export type PeerTask =
  { kind: 'listen'; input: number } | { kind: 'call'; input: number; url: string; mode: 'stream' | 'whole' }
export type PeerAnswer =
  { kind: 'listening'; hostile: string; backup: string } | { kind: 'called'; outcome: string }

const backup = await startUpstream(() => chatStream(['all ', 'well']))
let hostile = await startUpstream([chatStream(['never'])])

async function call(url: string, { body, path = '/v1/chat/completions' }: HostileInput, mode: string) {
  const question = JSON.stringify({
    model: 'chat',
    [path === '/v1/responses' ? 'input' : 'messages']: [{ role: 'user', content: 'Hi' }],
    stream: mode === 'stream',
  })
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: body ?? question,
  })
  const text = await response.text()
  const chain = response.headers.get('x-backstop-chain')?.replace(/;\d+(?= |$)/g, '')
  return `${response.status} ${chain ?? ''} ${text.includes('"error":{') ? 'error' : ''}`.trim()
}

async function perform(task: PeerTask): Promise<PeerAnswer> {
  const input = HOSTILE_INPUTS[task.input]
  if (!input) throw new Error(`There is no hostile input ${task.input}.`)
  if (task.kind === 'call') return { kind: 'called', outcome: await call(task.url, input, task.mode) }
  await hostile.close()
  hostile = await startUpstream([input.answer ?? chatStream(['never'])])
  return { kind: 'listening', hostile: hostile.url, backup: backup.url }
}

parentPort?.on('message', (task: PeerTask) => {
  void perform(task).then(answer => parentPort?.postMessage(answer))
})
