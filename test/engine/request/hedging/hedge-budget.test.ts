import { expect, it } from 'vitest'
import { createHedgeBudget } from '../../../../lambdas/engine/request/hedging/hedge-budget.ts'

it('lets one of ten requests be hedged, and another one where the first led to no call', () => {
  const budget = createHedgeBudget()
  for (let request = 0; request < 10; request += 1) budget.asked()
  expect([budget.take(), budget.take()]).toEqual([true, false])
  budget.giveBack()
  expect([budget.take(), budget.take()]).toEqual([true, false])
})
