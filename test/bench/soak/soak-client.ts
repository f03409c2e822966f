import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../week/random.ts'
import { FAULTS } from './soak-upstreams.ts'

/** How a request ended for its client, which read it to its end, or left. */
type Ending = 'answered' | 'cut' | 'failed' | 'left'

/** What was sent, by the prefix of the request id, and how it ended for the client. */
export type Sent = Record<string, number>

const ABORTED = 0.3
const FAILING = 0.2
const SLOW = 0.03
const EARLY_MS = 40
const READ_PAUSE_MS = 20

type Options = { url: string; key: string; agent: Agent }

/**
 * A caller of the gateway. What leaves after the first byte of its answer has surely been counted; what leaves before
 * (`early`) may never have arrived.
 */
export function createSoakClient({ url, key, agent }: Options) {
  const sent: Sent = {}
  const random = seededRandom(14)
  let number = 0

  const count = (kind: string, ending: Ending): void => {
    const name = `${kind} ${ending}`
    sent[name] = (sent[name] ?? 0) + 1
  }

  async function read(response: IncomingMessage, pauseMs: number): Promise<Ending> {
    let text = ''
    try {
      for await (const chunk of response) {
        text = (text + String(chunk)).slice(-2_000)
        if (pauseMs > 0) await sleep(pauseMs)
      }
    } catch {
      return 'cut'
    }
    if (response.statusCode !== 200) return 'failed'
    return text.includes('"error"') ? 'cut' : 'answered'
  }

  /** One request; `leave`: when its client goes away. */
  function send(kind: string, model: string, leave: 'early' | 'late' | null, pauseMs = 0): Promise<Ending> {
    const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hi' }] })
    return new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        'x-request-id': `${kind}-${(number += 1)}`,
        'content-length': Buffer.byteLength(body),
      }
      const options = { method: 'POST', agent, headers }
      const request = httpRequest(`${url}/v1/chat/completions`, options, response => {
        if (leave === 'late') {
          response.once('data', () => {
            request.destroy()
            resolve('left')
          })
          response.once('error', () => resolve('left'))
        } else read(response, pauseMs).then(resolve, reject)
      })
      request.once('error', error => {
        if (leave !== null) resolve('left')
        // The gateway closed a connection that was idle for long, just as it was used again.
        else if (request.reusedSocket) resolve(send(kind, model, leave, pauseMs))
        else reject(error)
      })
      request.end(body)
      if (leave === 'early')
        setTimeout(() => {
          request.destroy()
          resolve('left')
        }, random() * EARLY_MS)
    })
  }

  async function sendAny(): Promise<void> {
    const [leaves, fails] = [random() < ABORTED, random() < FAILING]
    const isSlow = !leaves && !fails && random() < SLOW
    const fault = FAULTS[Math.floor(random() * FAULTS.length)] ?? 'refuse'
    const model = fails ? fault : isSlow ? 'large' : 'well'
    const leave = leaves ? (random() < 0.5 ? 'early' : 'late') : null
    const kind = leave ?? 'whole'
    count(kind, await send(kind, model, leave, isSlow ? READ_PAUSE_MS : 0))
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
      const one = async (): Promise<void> => count('long', await send('long', 'long', null))
      await Promise.all(Array.from({ length: streams }, one))
    },
    /** One more, with whose end the gateway writes what it has counted. */
    async sendLast(): Promise<void> {
      count('last', await send('last', 'well', null))
    },
  }
}
