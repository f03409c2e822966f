import { chatStream, errorAnswer, tokens } from '../../support/upstreams/chat-bodies.ts'
import type { UpstreamScript } from '../../support/upstreams/answer-script.ts'
import { WELL, type Scene, type Situation } from './play-situation.ts'

const LONG_ENOUGH = 15

const BROKEN: UpstreamScript = [errorAnswer(500, { message: 'Internal server error' })]
const LIMITED = [errorAnswer(429, { message: 'Rate limit reached' })]
const REFUSED: UpstreamScript = [
  errorAnswer(401, { message: 'Incorrect API key provided', code: 'invalid_api_key' }),
]
const FILTERED: UpstreamScript = [
  errorAnswer(400, {
    message: 'The response was filtered',
    code: 'content_filter',
    type: 'invalid_request_error',
  }),
]
const CUT: UpstreamScript = [{ ...chatStream(tokens(3), { finish: null }), end: 'destroy' }]
const SLOW: UpstreamScript = [{ ...chatStream(tokens(3)), headersDelayMs: 2_000 }]

const playAll = ({ upstreams }: Scene, script: UpstreamScript): void => {
  for (const upstream of Object.values(upstreams)) upstream.play(script)
}

const CLIENT = { authorization: 'Bearer key-of-the-client' }
const HOUSE = { model: 'house' }
const TOOL_ROUND = {
  messages: [
    { role: 'user', content: 'Send it.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'send', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'sent' },
  ],
}

/** A request whose client leaves while the endpoint still thinks. */
async function leave({ gateway }: Scene): Promise<void> {
  const gone = new AbortController()
  const answer = fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    signal: gone.signal,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'chat', stream: true, messages: [{ role: 'user', content: 'Hello?' }] }),
  })
  const started = await answer
  gone.abort()
  await started.text().catch(() => undefined)
}

/** Requests of which the first endpoint answers one only when it is sent again; it counts so many tokens of a prompt. */
async function answerOneTheSecondTime(scene: Scene, promptTokens: number): Promise<void> {
  const usage = { prompt_tokens: promptTokens, completion_tokens: 3, total_tokens: promptTokens + 3 }
  scene.upstreams.one.play([errorAnswer(500, { message: 'Sorry.' }), chatStream(tokens(3), { usage })])
  await scene.send(3)
}

type Row = {
  play: Situation
  /** What must be among the codes of its requests, or it would prove nothing. */
  meets: readonly string[]
  /** Which alarms go off, and how often; none where nothing is wrong with the gateway. */
  rings: Readonly<Record<string, number>>
}

export const SITUATIONS: Readonly<Record<string, Row>> = {
  'harmless: a first deploy with a key for the last tier only, and one request to try it': {
    play: {
      minutes: 30,
      variables: { THREE_API_KEY: 'key-of-three' },
      // The schedule begins a few minutes after the alarms exist.
      probes: minute => minute >= 3,
      minute: (scene, minute) => (minute === 5 ? scene.send(1) : undefined),
    },
    meets: ['answered'],
    rings: {},
  },
  'harmless: clients send nonsense, and nothing else': {
    play: {
      minutes: LONG_ENOUGH,
      config: { settings: { direct_models: true } },
      async minute(scene) {
        const { one } = scene.upstreams
        one.play([errorAnswer(404, { message: 'The model does not exist', code: 'model_not_found' })])
        await scene.send(2, { model: 'one/nonsense' })
        one.play(WELL)
        await scene.send(2, { model: 'no-such-model' })
        await scene.send(2, { messages: 'none' })
      },
    },
    meets: ['model_gone', 'model_not_found', 'invalid_request'],
    rings: {},
  },
  'harmless: every prompt meets a content filter': {
    play: {
      minutes: LONG_ENOUGH,
      async minute(scene) {
        playAll(scene, FILTERED)
        await scene.send(5)
      },
    },
    meets: ['content_filter'],
    rings: {},
  },
  'harmless: clients want no fallback while the first endpoint is down': {
    play: {
      minutes: LONG_ENOUGH,
      async minute(scene) {
        scene.upstreams.one.play(BROKEN)
        await scene.send(5, {}, { 'x-backstop-fallback': 'off' })
      },
    },
    meets: ['upstream_failed', 'no_endpoint_available'],
    rings: {},
  },
  'harmless: tool rounds that may not be sent twice, at an endpoint that fails now and then': {
    play: {
      minutes: LONG_ENOUGH,
      async minute(scene) {
        for (const script of [BROKEN, WELL, WELL]) {
          scene.upstreams.one.play(script)
          await scene.send(2, TOOL_ROUND)
        }
      },
    },
    meets: ['tool_round_failed', 'answered'],
    rings: {},
  },
  'harmless: a client far beyond its own limits': {
    play: {
      minutes: LONG_ENOUGH,
      config: { clients: { '*': { requestsPerDay: 1 } } },
      variables: { ONE_API_KEY: 'key-of-one', BACKSTOP_CLIENT_KEYS: 'key-of-the-client' },
      minute: scene => scene.send(6, {}, CLIENT),
    },
    meets: ['client_limit_reached'],
    rings: {},
  },
  'harmless: clients leave in the middle of answers': {
    play: {
      minutes: LONG_ENOUGH,
      async minute(scene) {
        scene.upstreams.one.play([{ ...chatStream(tokens(20)), gapMs: 1_000 }])
        for (let left = 0; left < 4; left += 1) await leave(scene)
      },
    },
    meets: ['client-left'],
    rings: {},
  },
  'harmless: the first endpoint is down, and the next one answers': {
    play: {
      minutes: LONG_ENOUGH,
      async minute(scene, minute) {
        scene.upstreams.one.play(minute < 12 ? BROKEN : WELL)
        await scene.send(6)
      },
    },
    meets: ['answered'],
    rings: {},
  },
  'nothing answers for one model': {
    play: {
      minutes: LONG_ENOUGH,
      async minute(scene) {
        playAll(scene, { m: LIMITED, house: [chatStream(tokens(3))] })
        await scene.send(2)
        await scene.send(6, HOUSE)
      },
    },
    meets: ['rate_limit_exceeded', 'answered'],
    rings: { ErrorShare: 1, AliasOutchat: 1 },
  },
  'every provider fails': {
    play: {
      minutes: LONG_ENOUGH,
      async minute(scene) {
        playAll(scene, BROKEN)
        await scene.send(4)
        await scene.send(2, HOUSE)
      },
    },
    meets: ['upstream_failed'],
    rings: { NoSuccess: 1, ErrorShare: 1, AliasOutchat: 1, AliasOuthouse: 1, Degraded: 1 },
  },
  'streams break off in the middle': {
    play: {
      minutes: LONG_ENOUGH,
      async minute(scene) {
        await scene.send(4, HOUSE)
        playAll(scene, CUT)
        await scene.send(1, HOUSE)
        playAll(scene, WELL)
      },
    },
    meets: ['stream_cut', 'answered'],
    rings: { ErrorShare: 1 },
  },
  'a provider refuses its key for two hours, while hardly anybody asks': {
    play: {
      minutes: 2 * 60,
      async minute(scene, minute) {
        scene.upstreams.one.play(REFUSED)
        if (minute % 50 === 0) await scene.send(1)
      },
    },
    meets: ['answered'],
    rings: { KeyRefused: 1 },
  },
  'the table cannot be used': {
    play: {
      minutes: LONG_ENOUGH,
      async minute(scene) {
        scene.store.fail('refuse')
        await scene.send(4)
      },
    },
    meets: ['answered'],
    rings: { StateErrors: 1 },
  },
  'long prompts are answered the second time': {
    play: {
      minutes: LONG_ENOUGH,
      minute: scene => answerOneTheSecondTime(scene, 1_000_000),
    },
    meets: ['answered'],
    rings: { RetryTokens: 1 },
  },
  'harmless: short prompts are answered the second time': {
    play: {
      minutes: LONG_ENOUGH,
      minute: scene => answerOneTheSecondTime(scene, 1_000),
    },
    meets: ['answered'],
    rings: {},
  },
  'no provider can be reached': {
    play: {
      minutes: LONG_ENOUGH,
      unreached: ['one', 'two', 'three'],
      minute: scene => scene.send(4),
    },
    meets: ['upstream_failed'],
    rings: { NoSuccess: 1, ErrorShare: 1, AliasOutchat: 1, Degraded: 1, NetworkSuspect: 1 },
  },
  'harmless: one provider cannot be reached, and nobody wants another': {
    play: {
      minutes: LONG_ENOUGH,
      unreached: ['one'],
      minute: scene => scene.send(4, {}, { 'x-backstop-fallback': 'off' }),
    },
    meets: ['upstream_failed'],
    rings: {},
  },
  'the function crashes': {
    play: {
      minutes: LONG_ENOUGH,
      minute: scene => {
        scene.count('Errors', 1)
        return scene.send(3)
      },
    },
    meets: ['answered'],
    rings: { Crashes: 1 },
  },
  'more requests at a time than instances may run': {
    play: {
      minutes: LONG_ENOUGH,
      async minute(scene) {
        playAll(scene, SLOW)
        const instances = 2
        let running = 0
        // As the platform does: who finds no instance is turned away, and no function learns of it.
        const arrive = async (): Promise<void> => {
          if (running >= instances) return scene.count('Throttles', 1)
          running += 1
          await scene.send(1)
          running -= 1
        }
        await Promise.all(Array.from({ length: 6 }, arrive))
      },
    },
    meets: ['answered'],
    rings: { Throttles: 1 },
  },
  'the schedule stops': {
    play: { minutes: 45, probes: minute => minute < 15, minute: scene => scene.send(1) },
    meets: ['answered'],
    rings: { ProbeNotRunning: 1 },
  },
  'the probe fails in every other run': {
    play: {
      minutes: LONG_ENOUGH,
      minute: ({ count }, minute) => count('Errors', minute % 2, 'probe'),
    },
    meets: [],
    rings: { ProbeFailing: 1 },
  },
  'harmless: the probe and the canary fail once': {
    play: {
      minutes: 4 * 60,
      minute({ count }, minute) {
        if (minute !== 70) return
        count('Errors', 1, 'probe')
        count('Errors', 1, 'canary')
      },
    },
    meets: [],
    rings: {},
  },
  'the canary gets no answer for three hours': {
    play: {
      minutes: 4 * 60,
      minute: ({ count }, minute) =>
        minute % 60 === 30 && minute > 60 ? count('Errors', 1, 'canary') : undefined,
    },
    meets: [],
    rings: { CanaryFailed: 1 },
  },
}
