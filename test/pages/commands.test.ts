import { expect, test } from 'vitest'
import { firstCells, readFromRoot, readPage } from './page.ts'

/** What installs things for tests is the business of whoever reads its script. */
const FOR_TESTS = new Set(['dynamodb-local', 'lambda-ric', 'agents', 'chromium'])

/** What npm runs by itself. */
const BY_NPM = new Set(['prepare', 'prepack'])

test('every script of npm has a row', () => {
  const { scripts } = JSON.parse(readFromRoot('package.json')) as { scripts: Record<string, string> }
  const rows = firstCells(readPage('infra/COMMANDS.md').rows('# Commands'))
  const named = new Set(rows.map(cell => /^npm (?:run )?([a-z]+)/.exec(cell)?.[1]))
  expect(
    Object.keys(scripts).filter(name => !FOR_TESTS.has(name) && !BY_NPM.has(name) && !named.has(name)),
  ).toEqual([])
})
