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
  const refusal = '-c stage=my stage: expected a letter, then up to 19 letters, digits and dashes.'
  expect((await synth({ stage: 'my stage' })).trimEnd().split('\n').at(-1)).toBe(refusal)
})

test.each([
  [{ deploy: { auth: 'none' } }, /deploy\.auth: found "none"; expected "key" .* or "iam"/],
  [{ deploy: { logRetentionDays: 31 } }, /deploy\.logRetentionDays: found 31; expected one of 1, 3, 5/],
  [{ deploy: { reservedConcurrency: 0 } }, /deploy\.reservedConcurrency: found 0; expected at least one/],
  [{ deploy: { alarmEmail: 'me' } }, /deploy\.alarmEmail: found "me"; expected an e-mail address/],
  [{ deploy: { retention: 3 } }, /deploy\.retention: .*no such deploy option/],
  [{ deploys: {} }, /deploys: .*did you mean "deploy"\?/],
  [{ models: { chat: { tiers: [['opnai/x']] } } }, /unknown provider "opnai", did you mean "openai"\?/],
])('a configuration is refused in words: %j', (changes, message) => {
  expect(() => synthesise({ models: {}, ...changes })).toThrow(message)
})
