import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { classify } from '../../../lambdas/providers/classify.ts'
import type { Failure } from '../../../lambdas/core/failures/failure.ts'

type Sample = {
  id: string
  provider: string
  status: number | null
  headers: Record<string, string>
  body: string | null
  networkError: string | null
  inStream: boolean
  observedAtMs?: number
  expect: Pick<Failure, 'class' | 'kind' | 'scope' | 'structural' | 'tryNext' | 'retryAfterMs'> & {
    retryAtMs?: number
  }
  /** Other values that are right too: for every field, or for each its own. */
  altAccept?: readonly unknown[] | Partial<Record<(typeof JUDGED)[number], readonly unknown[]>>
  ambiguous: boolean
}

const JUDGED = ['class', 'kind', 'scope', 'structural', 'tryNext'] as const
const SOME_TIME = Date.UTC(2026, 8, 20, 9, 30)
const HALF_AN_HOUR = 30 * 60 * 1_000
const TOLERANCE_MS = 1_000
const TARGET_SHARE = 0.97

const FIXTURES = [
  ['observed upstream failures', '../../fixtures/failures.json'],
  ['further failures of the same providers', '../../fixtures/failures-more.json'],
  ['failures of relays, gates and picky hosts', '../../fixtures/failures-2.json'],
  ['failures of public bug reports', '../../fixtures/failures-own.json'],
  // Labelled by the rules before they were judged for the first time: 44 of 48 were right.
  ['failures that were collected last', '../../fixtures/failures-unseen.json'],
] as const

describe.each(FIXTURES)('%s', (_title, file) => {
  const samples: Sample[] = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'))
  const plain = samples.filter(sample => !sample.ambiguous)
  const doubtful = samples.filter(sample => sample.ambiguous)

  test.each(plain.map(sample => [sample.id, sample] as const))('%s is judged as labelled', (_id, sample) => {
    expect(disagreements(sample)).toEqual([])
  })

  test.each(doubtful.map(sample => [sample.id, sample] as const))(
    '%s, which could be read in two ways, is judged as labelled',
    (_id, sample) => {
      expect(disagreements(sample)).toEqual([])
    },
  )

  test(`at least ${TARGET_SHARE * 100} % of the unambiguous samples are right on every field`, () => {
    const right = plain.filter(sample => disagreements(sample).length === 0)
    expect(right.length / plain.length).toBeGreaterThanOrEqual(TARGET_SHARE)
  })

  test('every sample keeps its status and says something', () => {
    for (const sample of samples) {
      const failure = classifySample(sample)
      expect(failure.status).toBe(sample.status)
      expect(failure.message).not.toBe('')
    }
  })

  afterAll(() => {
    const wrong = samples.filter(sample => disagreements(sample).length > 0)
    const share = (part: number) => `${((100 * part) / samples.length).toFixed(1)} %`
    const kinds = Map.groupBy(wrong, sample => sample.expect.kind)
    const byKind = [...kinds].map(([kind, those]) => `${kind} ${share(those.length)}`).join(', ')
    process.stdout.write(
      `${file}: ${samples.length} samples, ${share(wrong.length)} wrong${byKind && ` (${byKind})`}\n`,
    )
  })
})

function disagreements(sample: Sample): string[] {
  const failure = classifySample(sample)
  const { altAccept = [] } = sample
  const accepted = (field: (typeof JUDGED)[number]): readonly unknown[] =>
    'includes' in altAccept ? altAccept : (altAccept[field] ?? [])
  const found = JUDGED.filter(
    field => failure[field] !== sample.expect[field] && !accepted(field).includes(failure[field]),
  ).map(field => `${field} is ${failure[field]}, not ${sample.expect[field]}`)
  const { retryAtMs, retryAfterMs } = sample.expect
  const wait = retryAtMs === undefined ? retryAfterMs : retryAtMs - nowOf(sample)
  const offBy = Math.abs((failure.retryAfterMs ?? Number.NEGATIVE_INFINITY) - (wait ?? 0))
  if (wait !== null && offBy > TOLERANCE_MS)
    found.push(`retryAfterMs is ${failure.retryAfterMs}, not ${wait}`)
  return found
}

function classifySample(sample: Sample): Failure {
  const { provider, status, headers, body, networkError, inStream } = sample
  return classify({ provider, status, headers, body, networkError, inStream, now: nowOf(sample) })
}

function nowOf(sample: Sample): number {
  const { retryAtMs } = sample.expect
  return sample.observedAtMs ?? (retryAtMs === undefined ? SOME_TIME : retryAtMs - HALF_AN_HOUR)
}
