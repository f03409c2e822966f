import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest'
import { describeCounters } from './counters-contract.ts'
import { describeHolders } from './holder-contract.ts'
import { describeQuotas } from './quota-contract.ts'
import { describeSessions } from './session-contract.ts'
import { describeStateItems } from './state-contract.ts'
import { describeStateReads } from './read-contract.ts'
import { describeUsage } from './usage-contract.ts'
import { tellSkipped } from '../support/tell-skipped.ts'
import { TABLES, type OpenTable, type TableServer } from './tables.ts'

for (const { name, missing, start } of TABLES) {
  tellSkipped(`the store over ${name}`, missing)

  describe.skipIf(missing !== null)(`a fleet store over ${name}${missing ? ` (${missing})` : ''}`, () => {
    let server: TableServer | undefined
    let table: OpenTable
    beforeAll(async () => {
      server = await start()
    })
    beforeEach(async () => {
      table = (await server?.open()) ?? expect.fail('no table server')
    })
    afterEach(() => table.close())
    afterAll(() => server?.close())

    describeStateItems(() => table)
    describeStateReads(() => table)
    describeCounters(() => table)
    describeSessions(() => table)
    describeUsage(() => table)
    describeHolders(() => table)
    describeQuotas(() => table)
  })
}
