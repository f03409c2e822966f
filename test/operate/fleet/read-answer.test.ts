import { callsAbout } from '../../../infra/operate/fleet/command-call.ts'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { answerInTime } from '../../../infra/operate/fleet/answer-in-time.ts'
import { openFleet } from '../../../infra/operate/fleet/open-fleet.ts'
import { readEndpoints } from '../../../infra/operate/fleet/read-answer.ts'
import { DEFAULT_SETTINGS } from '../../../lambdas/core/settings/settings.ts'
import { endpointRow } from '../../support/endpoint-row.ts'
import { startScriptedGateway } from '../scripted-gateway.ts'

/** The URL of a gateway that answers every request with this JSON. */
async function gatewayThatAnswers(body: unknown): Promise<string> {
  const gateway = await startScriptedGateway((_, response) => response.end(JSON.stringify(body)))
  onTestFinished(() => gateway.close(0))
  return gateway.url
}

describe('rows of a gateway', () => {
  const rowsOf = async (body: unknown) =>
    (await readEndpoints({ url: await gatewayThatAnswers(body), clientKey: null, call: callsAbout({}) })).data

  it('are read, with fields that this version does not know', async () => {
    const row = { ...endpointRow(), weather: 'fine' }
    expect(await rowsOf({ object: 'list', data: [row] })).toEqual([row])
  })

  test.each<[string, unknown, string]>([
    ['a field that is missing', { data: [{ ...endpointRow(), health: undefined }] }, 'data.0.health'],
    [
      'a word that is not known',
      { data: [endpointRow(), { ...endpointRow(), breaker: 'ajar' }] },
      'data.1.breaker',
    ],
    ['no list', { rows: [] }, 'data'],
    ['no JSON object', 7, 'it as a whole'],
  ])('with %s are refused, and the place is named', async (_, body, place) => {
    await expect(rowsOf(body)).rejects.toThrow(
      `/v1/endpoints cannot be read (${place} is not as expected). ` +
        'The gateway may run another version of Backstop than this command.',
    )
  })
})

it('a gateway that accepts a call and says nothing is named when the time is over', async () => {
  const silent = await startScriptedGateway(() => {})
  onTestFinished(() => silent.close(0))
  const read = answerInTime(silent.url, signal => fetch(silent.url, { signal }), { limitMs: 20 })
  await expect(read).rejects.toThrow(
    `The gateway at ${silent.url} does not answer: it said nothing for 0.02 s.`,
  )
  const left = AbortSignal.abort(new Error('left'))
  const given = answerInTime(silent.url, signal => fetch(silent.url, { signal }), { signal: left })
  await expect(given).rejects.toThrow('left')
})

it('settings of another version are refused', async () => {
  const { retry_base_ms: _, ...settings } = DEFAULT_SETTINGS
  const url = await gatewayThatAnswers({
    endpoint: 'http://127.0.0.1:1',
    table: 't',
    settings,
    endpoints: [],
    warnings: [],
  })
  await expect(openFleet({ url }, {})).rejects.toThrow(
    '/local/table cannot be read (settings is not as expected)',
  )
})
