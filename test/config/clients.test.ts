import { expect, test } from 'vitest'
import { configWarnings } from '../../lambdas/config/config-warnings.ts'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { problemsOf } from './problems-of.ts'

const models = { chat: { tiers: [['groq/a']] }, house: { tiers: [['groq/b']] } }
const withClient = (client: unknown) => ({ models, clients: { app: client } })
const withList = (clients: unknown, list: unknown) => ({
  models: { ...models, chat: { ...models.chat, clients: list } },
  clients,
})

test.each<[string, unknown, string | null]>([
  ['none', { models }, null],
  [
    'one with everything',
    withClient({
      models: ['chat'],
      requestsPerMinute: 60,
      tokensPerMinute: 1,
      requestsPerDay: 1,
      tokensPerDay: 2_000_000,
      dollarsPerMonth: 0.5,
      concurrency: 4,
    }),
    null,
  ],
  ['one for all others', { models, clients: { '*': { requestsPerMinute: 5 } } }, null],
  [
    'a mistyped limit',
    withClient({ requestPerMinute: 60 }),
    'clients.app.requestPerMinute: unknown client field. Did you mean "requestsPerMinute"?',
  ],
  [
    'a key in its place',
    withClient({ key: 'sk-1' }),
    'clients.app.key: unknown client field. Keys do not belong in this file: npm run keys -- client add app makes one.',
  ],
  [
    'no requests at all',
    withClient({ requestsPerMinute: 0 }),
    'clients.app.requestsPerMinute: expected a whole number of requests a minute, got 0',
  ],
  [
    'half a token',
    withClient({ tokensPerDay: 0.5 }),
    'clients.app.tokensPerDay: expected a whole number of tokens a day, got 0.5',
  ],
  [
    'no money',
    withClient({ dollarsPerMonth: 0 }),
    'clients.app.dollarsPerMonth: expected more than 0 dollars a month, got 0',
  ],
  [
    'no time',
    withClient({ concurrency: 0 }),
    'clients.app.concurrency: expected a whole number of requests at a time, got 0',
  ],
  [
    'a model that does not exist',
    withClient({ models: ['chta'] }),
    'clients.app.models[0]: unknown model "chta". Did you mean "chat"?',
  ],
  [
    'no models',
    withClient({ models: [] }),
    'clients.app.models: expected at least one model; leave the list out to allow every model',
  ],
  [
    'a name that cannot be logged',
    { models, clients: { ' app': {} } },
    'clients[" app"]: expected a name without control characters and without spaces around it',
  ],
  [
    'a model for a client that has no entry, where all have one',
    withList({ billing: {} }, ['biling']),
    'models.chat.clients[0]: unknown client "biling". Did you mean "billing"?',
  ],
  ['a model for a client that has no entry, where others may come', withList({ '*': {} }, ['biling']), null],
  ['a model for a client, where none has an entry', withList(undefined, ['billing']), null],
  [
    'a model for nobody',
    withList(undefined, []),
    'models.chat.clients: expected at least one client; leave the list out to allow every client',
  ],
  [
    'a list that is none',
    { models, clients: [] },
    'clients: expected an object of clients by name, such as { "billing-app": { requestsPerMinute: 60 } }, got []',
  ],
])('clients: %s', (_, config, problem) => {
  expect(problemsOf(config)).toEqual(problem === null ? [] : [problem])
})

test.each([
  ['key', ['billing'], 0],
  ['iam', ['123456789012:assumed-role/billing', '*'], 0],
  ['iam', ['billing'], 1],
])('clients, called with %s, by the names %j: %d warnings', (auth, names, count) => {
  const clients = Object.fromEntries(names.map(name => [name, {}]))
  const warnings = configWarnings(parseGatewayConfig({ models, clients, deploy: { auth } }))
  expect(warnings).toHaveLength(count)
  if (count > 0) expect(warnings[0]).toContain('clients["billing"]: with auth "iam"')
})
