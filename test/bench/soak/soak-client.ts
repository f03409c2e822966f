import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../week/random.ts'
import { FAULTS } from './soak-upstreams.ts'

/**
 * How a request ended for its client: read to its end (`limited`: refused by a limit of the client), or left by it while
 * it was answered (`left`), failed (`left failing`), or before anything came (`left early`). `unsent`: the connection
 * was closed just as it was used again, and the request was sent once more under another id.
 */
export type ClientEnd =
  'answered' | 'cut' | 'failed' | 'limited' | 'left' | 'left failing' | 'left early' | 'unsent'

/** What was sent: the end of each request, by its id. */
export type Sent = ReadonlyMap<string, ClientEnd>

const ABORTED = 0.3
const FAILING = 0.2
const SLOW = 0.03
const EARLY_MS = 40
const READ_PAUSE_MS = 20

type Options = { url: string; key: string; agent: Agent }

/** `leave`: when the client goes away. `pauseMs`: how long it waits between two reads. */
type Manner = { model: string; leave: 'early' | 'late' | null; pauseMs?: number }

/** A caller of the gateway. */
export function createSoakClient({ url, key, agent }: Options) {
  const sent = new Map<string, ClientEnd>()
  const random = seededRandom(14)
  let number = 0

  async function read(response: IncomingMessage, pauseMs: number): Promise<ClientEnd> {
    let text = ''
    try {
      for await (const chunk of response) {
        text = (text + String(chunk)).slice(-2_000)
        if (pauseMs > 0) await sleep(pauseMs)
      }
    } catch {
      return 'cut'
    }
    if (text.includes('"client_limit_reached"')) return 'limited'
    if (response.statusCode !== 200) return 'failed'
    return text.includes('"error"') ? 'cut' : 'answered'
  }

  function exchange(id: string, { model, leave, pauseMs = 0 }: Manner): Promise<ClientEnd> {
    const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hi' }] })
    return new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        'x-request-id': id,
        'content-length': Buffer.byteLength(body),
      }
      const options = { method: 'POST', agent, headers }
      const request = httpRequest(`${url}/v1/chat/completions`, options, response => {
        if (leave !== 'late') return void read(response, pauseMs).then(resolve, reject)
        response.on('error', () => undefined)
        response.once('data', () => {
          request.destroy()
          resolve(response.statusCode === 200 ? 'left' : 'left failing')
        })
      })
      request.once('error', error => {
        if (leave === 'early') resolve('left early')
        // The gateway closed a connection that was idle for long.
        else if (request.reusedSocket) resolve('unsent')
        else reject(error)
      })
      request.end(body)
      if (leave === 'early')
        setTimeout(() => {
          request.destroy()
          resolve('left early')
        }, random() * EARLY_MS)
    })
  }

  /** One request; `kind` begins its id. */
  async function send(kind: string, manner: Manner): Promise<void> {
    const id = `${kind}-${(number += 1)}`
    const end = await exchange(id, manner)
    sent.set(id, end)
    if (end === 'unsent') await send(kind, manner)
  }

  async function sendAny(): Promise<void> {
    const [leaves, fails] = [random() < ABORTED, random() < FAILING]
    const isSlow = !leaves && !fails && random() < SLOW
    const fault = FAULTS[Math.floor(random() * FAULTS.length)] ?? 'refuse'
    const model = fails ? fault : isSlow ? 'large' : 'well'
    const leave = leaves ? (random() < 0.5 ? 'early' : 'late') : null
    await send(leave ?? 'whole', { model, leave, pauseMs: isSlow ? READ_PAUSE_MS : 0 })
  }

  return {
    sent,
    /** This many requests of all kinds, so many at a time. */
    async sendMany(requests: number, atOnce: number): Promise<void> {
      let left = requests
      const sendSome = async (): Promise<void> => {
        while (left-- > 0) await sendAny()
      }
      await Promise.all(Array.from({ length: atOnce }, sendSome))
    },
    async sendLong(streams: number): Promise<void> {
      const manner = { model: 'long', leave: null }
      await Promise.all(Array.from({ length: streams }, () => send('long', manner)))
    },
    /** One more, with whose end the gateway writes what it has counted. */
    async sendLast(): Promise<void> {
      await send('last', { model: 'well', leave: null })
    },
  }
}
