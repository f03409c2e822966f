import { expect, test } from 'vitest'
import { drawOverhead } from './draw-overhead.ts'
import { overheadFragments } from './overhead-fragments.ts'
import type { Figure } from './measure.ts'
import { ROWS } from './rows.ts'

const figure = (timesBare: number, p50Ms: number): Figure => ({
  cpuUs: 100 * timesBare,
  timesBare,
  requestsPerSecond: 10,
  p50Ms,
  p99Ms: p50Ms,
})

const RESULTS = {
  rows: Object.fromEntries(
    ROWS.map(({ name, peer }) => [
      name,
      Object.fromEntries(
        ['1', '16'].map(concurrency => [
          concurrency,
          {
            direct: figure(0, 2),
            'bare proxy': figure(1, 3),
            Backstop: figure(2, 4.5),
            ...(peer === null ? {} : { peer: figure(5, 6) }),
          },
        ]),
      ),
    ]),
  ),
  rssBytes: {},
}

test('the pages tell each row by the bare proxy, with the peer where it serves it', () => {
  const fragments = overheadFragments(RESULTS, { date: '2026-11-30', cores: 2, node: '24.0.0' })
  const { text = '' } = fragments.find(({ id }) => id === 'rows') ?? {}
  expect(text.match(/^\| .*tokens? \| 2\.0 \| 5\.0 \| 2\.5 ms \|$/gm)).toHaveLength(2)
  expect(text).toContain('| messages, translated | 2.0 | not measured | 2.5 ms |')
  expect(fragments.find(({ id }) => id === 'last')?.text).toContain('whole 2.0 (5.0)')
})

test('the picture has a bar for each figure', () => {
  const svg = drawOverhead(RESULTS)
  expect(svg.match(/class="ours"/g)).toHaveLength(ROWS.length)
  expect(svg.match(/<rect x=/g)).toHaveLength(ROWS.filter(({ peer }) => peer !== null).length)
})
