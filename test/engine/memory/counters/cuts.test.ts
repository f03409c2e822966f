import { expect, it } from 'vitest'
import { createCuts } from '../../../../lambdas/engine/memory/counters/cuts.ts'

const CUT = { code: 'BACKSTOP_FIRST_OUTPUT_TIMEOUT' }

it('cuts of endpoints without number are forgotten, oldest first', () => {
  const cuts = createCuts({ now: () => 1_000_000_000 })
  cuts.note('up/first', CUT)
  cuts.note('up/kept', CUT)
  for (let made = 0; made < 5_000; made += 1) {
    cuts.note(`up/made-up-${made}`, CUT)
    if (made % 100 === 0) cuts.note('up/kept', CUT)
  }
  expect([cuts.get('up/first'), cuts.get('up/kept'), cuts.get('up/made-up-4999')]).toEqual([0, 51, 1])
})
