import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { synthesise } from './synthesise.ts'

const run = promisify(execFile)
const ROOT = new URL('../..', import.meta.url).pathname
const context = (entries: object) => ({
  ...process.env,
  CDK_CONTEXT_JSON: JSON.stringify({ 'aws:cdk:bundling-stacks': [], ...entries }),
})

const synth = (entries: object) =>
  run(process.execPath, ['infra/app.ts'], { cwd: ROOT, env: context(entries) }).then(
    () => '',
    (error: { stderr: string }) => error.stderr,
  )

test('the app synthesises without account and network, for any stage', async () => {
  expect(await synth({})).toBe('')
  expect(await synth({ stage: 'staging-2' })).toBe('')
})

test('a stage that cannot be a name is refused in one line', async () => {
  const refusal = '-c stage: expected a letter, then up to 19 letters, digits and dashes, got "my stage".'
  expect((await synth({ stage: 'my stage' })).trimEnd().split('\n').at(-1)).toBe(refusal)
})

test.each([
  [{ deploy: { auth: 'none' } }, /deploy\.auth: expected "key" .* or "iam" .*, got "none"/],
  [{ deploy: { logRetentionDays: 31 } }, /deploy\.logRetentionDays: expected one of 1, 3, 5.*, got 31/],
  [{ deploy: { reservedConcurrency: 0 } }, /deploy\.reservedConcurrency: expected at least one .*, got 0/],
  [{ deploy: { alarmEmail: 'me' } }, /deploy\.alarmEmail: expected an e-mail address .*, got "me"/],
  [{ deploy: { retention: 3 } }, /deploy\.retention: unknown deploy option/],
  [{ deploys: {} }, /deploys: unknown section\. Did you mean "deploy"\?/],
  [{ models: { chat: { tiers: [['opnai/x']] } } }, /unknown provider "opnai"\. Did you mean "openai"\?/],
])('a configuration is refused in words: %j', (changes, message) => {
  expect(() => synthesise({ models: {}, ...changes })).toThrow(message)
})
