import { expect, test } from 'vitest'
import { behaviourUpstream, expandInstant } from './behaviour-upstream.ts'
import { BEHAVIOURS, behaviour } from '../behaviours.ts'

const now = Date.UTC(2030, 0, 1)

test('every recorded status, and every fault a server can play, becomes an answer', () => {
  const unplayable = BEHAVIOURS.filter(entry => behaviourUpstream(entry, { now }) === null)
  expect(unplayable.map(({ upstream }) => upstream.fault?.when ?? typeof upstream.sequence)).toSatisfy(
    (reasons: string[]) =>
      reasons.every(reason => ['connect', 'dns', 'tls', 'mid_stream', 'object'].includes(reason)),
  )
})

test('recorded waits shrink, silence stays', () => {
  expect(behaviourUpstream(behaviour('first-byte-slow-prefill'), { now, timeScale: 0.01 })).toMatchObject({
    headersDelayMs: 0.1,
    firstChunkDelayMs: 200,
    end: 'clean',
  })
  expect(behaviourUpstream(behaviour('stall-90s'), { now })).toMatchObject({ end: 'silence' })
  expect(behaviourUpstream(behaviour('sse-cut-mid'), { now })).toMatchObject({ end: 'destroy' })
})

test.each([
  ['$HTTP_DATE(+30s)', 'Tue, 01 Jan 2030 00:00:30 GMT'],
  ['$EPOCH_S(+45s)', String(now / 1000 + 45)],
  ['$EPOCH_MS(+45s)', String(now + 45_000)],
  ['12.7', '12.7'],
])('the instant %s is filled in when it is answered', (text, expected) => {
  expect(expandInstant(text, now)).toBe(expected)
})
