import { afterAll, beforeEach, expect, it, test } from 'vitest'
import { createClientOf } from '../../../lambdas/keys/client-of.ts'
import { keyFingerprint } from '../../../lambdas/keys/key-ring.ts'
import { openStackWorld, SECRET } from '../stack-world.ts'

const world = await openStackWorld()
afterAll(() => world[Symbol.asyncDispose]())

const held = () => JSON.parse(world.aws.secret.text) as typeof SECRET & { clients: Record<string, string> }
beforeEach(() => {
  world.aws.secret = { id: world.aws.secret.id, text: JSON.stringify(SECRET) }
  world.aws.answers.clear()
})

const changedAt = async (): Promise<number> => {
  const item = await world.store.readStateItem('settings')
  return item?.kind === 'settings' ? (item.secretChangedAt ?? 0) : 0
}

test('a provider key from stdin takes the place of the old one, and instances are told', async () => {
  const before = Date.now()
  const { code, stdout, stderr } = await world.run('keys', ['set', 'groq'], { stdin: ' gsk_new \n' })
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toBe(
    "groq: 1 key saved in the secret of 'Backstop-test'.\nRunning instances use the change within 30 seconds.\n",
  )
  expect(held()).toEqual({ ...SECRET, providers: { ...SECRET.providers, groq: 'gsk_new' } })
  expect(await changedAt()).toBeGreaterThanOrEqual(before)
})

it('takes several keys one a line, and keeps the overrides in force', async () => {
  await world.run('set', ['retry_max_attempts=2'])
  const { code, stdout } = await world.run('keys', ['set', 'mistral'], { stdin: 'one\n\ntwo\none\n' })
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^mistral: 2 keys saved/)])
  expect(held().providers).toEqual({ ...SECRET.providers, mistral: ['one', 'two'] })
  expect(await world.store.readStateItem('settings')).toMatchObject({ overrides: { retry_max_attempts: 2 } })
  await world.run('set', ['retry_max_attempts='])
  expect(await world.store.readStateItem('settings')).toMatchObject({
    overrides: {},
    secretChangedAt: expect.any(Number) as unknown,
  })
})

test('a client gets a strong key, shown once, and the generated one is left alone', async () => {
  const { code, stdout } = await world.run('keys', ['client', 'add', 'reports'])
  const [key = '', undo] = stdout.split('\n')
  expect(undo).toBe(
    'This key is shown only once. To revoke it: npm run keys -- remove client reports --stack Backstop-test',
  )
  expect([code, key]).toEqual([0, expect.stringMatching(/^backstop-[\w-]{43}$/)])
  expect(held()).toEqual({ ...SECRET, clients: { ...SECRET.clients, reports: key } })
  expect(createClientOf(Object.entries(held().clients))(key)).toBe('reports')
  const again = await world.run('keys', ['client', 'add', 'billing'])
  expect([again.code, again.stdout, again.stderr]).toEqual([
    1,
    '',
    expect.stringContaining("already has a client 'billing'"),
  ])
})

test('the list knows names and fingerprints', async () => {
  const { code, stdout } = await world.run('keys', ['list'])
  expect(code).toBe(0)
  expect(
    stdout
      .trim()
      .split('\n')
      .map(line => line.split(/ +/)),
  ).toEqual([
    ['for', 'name', 'fingerprints'],
    ['client', 'default', keyFingerprint(SECRET.defaultClientKey)],
    ['client', 'billing', keyFingerprint(SECRET.clients.billing)],
    ['provider', 'groq', keyFingerprint(SECRET.providers.groq)],
    ['provider', 'openai', ...SECRET.providers.openai.map(keyFingerprint)],
  ])
})

test('a provider and a client are removed; one that is not there is named', async () => {
  expect((await world.run('keys', ['remove', 'groq'])).code).toBe(0)
  expect((await world.run('keys', ['remove', 'client', 'billing'])).code).toBe(0)
  expect(held()).toEqual({ ...SECRET, clients: {}, providers: { openai: SECRET.providers.openai } })
  const { code, stderr } = await world.run('keys', ['remove', 'client', 'nobody'])
  expect([code, stderr]).toEqual([1, "The secret has no client 'nobody'. It has none.\n"])
  expect((await world.run('keys', ['remove', 'client', 'default'])).code).toBe(1)
})

test('what somebody else wrote meanwhile survives: it is read again, once', async () => {
  const other = { ...SECRET, providers: { ...SECRET.providers, xai: 'theirs' } }
  let reads = 0
  world.aws.answers.set('GetSecretValue', () => {
    const { id, text } = world.aws.secret
    reads += 1
    if (reads === 1) world.aws.secret = { id: 'version-of-others', text: JSON.stringify(other) }
    return { body: { VersionId: id, SecretString: text } }
  })
  expect((await world.run('keys', ['set', 'groq'], { stdin: 'gsk_new' })).code).toBe(0)
  expect(held().providers).toEqual({ ...other.providers, groq: 'gsk_new' })

  world.aws.answers.set('GetSecretValue', () => ({ body: { VersionId: 'never', SecretString: '{}' } }))
  const { code, stderr } = await world.run('keys', ['set', 'groq'], { stdin: 'gsk_newer' })
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^Someone else is changing the secret\./)])
})

test.each([
  [
    'a key on the command line',
    ['set', 'groq', 'gsk_old'],
    'gsk_x',
    /^Nothing was changed\. Do not put a key on the command line/,
  ],
  [
    'a key in the place of the name',
    ['set', 'gsk_old'],
    'gsk_x',
    /^Unknown provider\. Nothing was changed\.\n$/,
  ],
  [
    'a name with a slip',
    ['set', 'grok'],
    'gsk_x',
    /^No provider "grok"\. Did you mean "groq"\? Nothing was changed\.\n$/,
  ],
  ['no key', ['set', 'groq'], '\n', /^Nothing was changed: no key on stdin\./],
  [
    'a key with a space',
    ['set', 'groq'],
    'fine\ngsk_old and more',
    /^Nothing was changed: line 2 is not a key\./,
  ],
  ['nothing to do', [], '', /^Usage: npm run keys -- /],
])('%s is refused, and not repeated', async (_, args, stdin, expected) => {
  const { code, stdout, stderr } = await world.run('keys', args, { stdin })
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(expected)])
  expect(held()).toEqual(SECRET)
})

test('a secret that is no JSON is left alone, and not shown', async () => {
  world.aws.secret = { id: 'version-9', text: '{"providers": {"groq": "gsk_old"' }
  const { code, stderr } = await world.run('keys', ['set', 'groq'], { stdin: 'gsk_new' })
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^The secret 'the-secret' is not a JSON object\./),
  ])
  expect(world.aws.secret.id).toBe('version-9')
})

test('an answer that cannot be read is not shown', async () => {
  world.aws.answers.set('GetSecretValue', () => ({ body: 'gsk_old' }))
  const { code, stderr } = await world.run('keys', ['list'])
  expect([code, stderr]).toEqual([
    1,
    "AWS sent an unreadable answer to reading the secret 'the-secret' in us-east-1.\n",
  ])
})

test('a table that cannot be used does not fail what is done already', async () => {
  const env = { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9' }
  const { code, stdout } = await world.run('keys', ['set', 'groq'], { stdin: 'gsk_new', env })
  expect([code, stdout]).toEqual([0, expect.stringContaining('within five minutes (telling them failed: ')])
  expect(held().providers.groq).toBe('gsk_new')
})
