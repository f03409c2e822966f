import { expect, test } from 'vitest'
import { parseGatewayConfig } from '../../../lambdas/config/gateway-config.ts'
import { observedTemplate } from '../constructs/observed-stack.ts'
import { alarmsOf, timesRung } from './evaluate-alarm.ts'
import { ALIASES, playSituation } from './play-situation.ts'
import { SITUATIONS } from './situations.ts'

const models = Object.fromEntries(ALIASES.map(alias => [alias, { tiers: [['groq/a']] }]))
const alarms = alarmsOf(observedTemplate(parseGatewayConfig({ models, deploy: { canary: true } })))

const SITUATION = Object.entries(SITUATIONS)

test.each(SITUATION)('%s', async (_, { play, meets, rings }) => {
  const { archive, codes, ...range } = await playSituation(play)
  expect([...codes]).toEqual(expect.arrayContaining([...meets]))
  const rung = [...alarms].flatMap(([id, alarm]) => {
    const times = timesRung(alarm, archive, range)
    return times === 0 ? [] : [[id, times] as const]
  })
  expect(Object.fromEntries(rung)).toEqual(rings)
})

test('each alarm goes off in one of these situations', () => {
  const rung = new Set(SITUATION.flatMap(([, { rings }]) => Object.keys(rings)))
  const silent = [...alarms.keys()].filter(id => !rung.has(id))
  expect(silent).toEqual([])
  expect(SITUATION.filter(([name]) => name.startsWith('harmless')).length).toBeGreaterThanOrEqual(6)
})
