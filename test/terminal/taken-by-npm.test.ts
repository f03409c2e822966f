import { expect, test } from 'vitest'
import { COMMANDS } from '../../infra/terminal/command-table.ts'
import { takenByNpm } from '../../infra/terminal/taken-by-npm.ts'

type Row = Parameters<typeof takenByNpm>[0]
const { start, why, ask, status } = COMMANDS

test.each<[Row, string[], Record<string, string>, string]>([
  [start, ['4441'], { port: 'true' }, 'npm start -- --port 4441'],
  [start, [], { port: '4441' }, 'npm start -- --port 4441'],
  [start, ['0.0.0.0', '4441'], { host: 'true', port: 'true' }, 'npm start -- --port 4441 --host 0.0.0.0'],
  [
    start,
    ['::1', 'a.json'],
    { host: 'true', config: 'true' },
    'npm start -- ::1 a.json --host VALUE --config VALUE',
  ],
  [start, [], { port: 'true', json: 'true' }, 'npm start -- --port VALUE --json'],
  [ask, ['gpt-4o'], { model: 'true' }, 'npm run ask -- --model gpt-4o'],
  [why, ['last'], { model: 'gpt-4o' }, 'npm run why -- last --model gpt-4o'],
  // Which of the two is the model nobody can tell.
  [why, ['last', 'gpt-4o'], { model: 'true' }, 'npm run why -- last gpt-4o --model VALUE'],
])('%o %j %j', ({ name, ...row }, args, options, expected) => {
  const taken = Object.entries(options).map(([option, value]) => [`npm_config_${option}`, value])
  const variables = { npm_lifecycle_event: name, ...Object.fromEntries(taken) }
  expect(takenByNpm({ name, ...row }, { args, variables })).toMatch(
    new RegExp(`^npm took --\\w+ for an option of its own\\. Write: ${expected.replace(/[.:]/g, '\\$&')}$`),
  )
})

test('what another script was given, and npm’s own key, are left alone', () => {
  const variables = { npm_lifecycle_event: 'status', npm_config_key: 'PEM' }
  expect(takenByNpm(status, { args: [], variables })).toBeNull()
  expect(takenByNpm(start, { args: [], variables: { ...variables, npm_config_port: '1' } })).toBeNull()
})
