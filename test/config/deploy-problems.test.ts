import { describe, expect, test } from 'vitest'
import { problemsOf } from './problems-of.ts'

const problemsWith = (deploy: object): readonly string[] =>
  problemsOf({ models: { m: { tiers: [['groq/a']] } }, deploy })

test.each<[string, object]>([
  ['a word', { alarms: 'essential', metrics: 'essential', dashboard: false }],
  ['an object', { alarms: { level: 'essential', errorShare: 20 } }],
  ['thresholds of all alarms', { alarms: { retryTokensADay: 2_000_000, stateErrors: 9, probeErrors: 9 } }],
  ['thresholds alone', { alarms: { throttles: 100 }, metrics: 'essential' }],
  ['a canary too', { canary: { model: 'm' }, alarms: { canaryFailures: 1 } }],
  ['a topic', { alarmTopicArn: 'arn:aws-cn:sns:cn-north-1:123456789012:oncall' }],
  [
    'an address for the budget alone',
    { alarms: 'none', budget: { dollarsPerMonth: 5 }, alarmEmail: 'a@b.example' },
  ],
])('alarms may be told by %s', (_, deploy) => {
  expect(problemsWith(deploy)).toEqual([])
})

test.each<[object, RegExp]>([
  [
    { alarms: 'some' },
    /^deploy\.alarms: expected "all", "essential" .* or an object such as .*, got "some"$/,
  ],
  [{ alarms: { level: 'loud' } }, /^deploy\.alarms\.level: expected "all", "essential" .*, got "loud"$/],
  [
    { alarms: { errorShare: 120 } },
    /^deploy\.alarms\.errorShare: expected at most 100 of 100 requests, got 120$/,
  ],
  [{ alarms: { crashes: 0 } }, /^deploy\.alarms\.crashes: expected at least one of crashes/],
  [{ alarms: { errors: 3 } }, /^deploy\.alarms\.errors: unknown/],
  [{ alarms: 'all', metrics: 'essential' }, /^deploy\.alarms: some alarms need metrics that are not written/],
  [{ alarms: { level: 'all' }, metrics: 'essential' }, /^deploy\.alarms: some alarms need metrics/],
  [{ alarms: 'none', alarmEmail: 'a@example.com' }, /^deploy\.alarmEmail: has no effect/],
  [
    { alarms: { level: 'none', errorShare: 3 } },
    /^deploy\.alarms\.errorShare: has no effect, because deploy\.alarms\.level is "none"/,
  ],
  [
    { alarms: { level: 'essential', stateErrors: 9 } },
    /^deploy\.alarms\.stateErrors: has no effect, .* set deploy\.alarms\.level to "all"/,
  ],
  [
    { alarms: { retryTokensADay: 9 }, metrics: 'essential' },
    /^deploy\.alarms\.retryTokensADay: has no effect, .* set deploy\.alarms\.level and deploy\.metrics to "all"/,
  ],
  [
    { alarms: { canaryFailures: 1 }, canary: false },
    /^deploy\.alarms\.canaryFailures: has no effect, because there is no canary/,
  ],
  [
    { alarmTopicArn: 'arn:aws:sns:eu-central-1:123456789012:oncall.fifo', alarmEmail: 'a@b.example' },
    /^deploy\.alarmTopicArn: CloudWatch cannot publish alarms to a FIFO topic\. Name a standard topic/,
  ],
  [
    { alarmTopicArn: 'oncall' },
    /^deploy\.alarmTopicArn: expected the ARN of an SNS topic such as "arn:aws:sns/,
  ],
  [{ canary: 'm' }, /^deploy\.canary: expected true, false, or an object such as/],
  [{ canary: { model: 'n' } }, /^deploy\.canary\.model: expected a model that answers chats, got "n"/],
  [
    { alarms: { canaryFailures: 4 } },
    /^deploy\.alarms\.canaryFailures: expected 1 to 3 failed canary requests, of the last three, got 4$/,
  ],
  [{ dashboard: 'no' }, /^deploy\.dashboard: expected true or false/],
  [
    { tags: { application: 'llm' } },
    /^deploy\.tags\.application: Backstop sets this tag itself\. Use another key/,
  ],
  [{ tags: { Stage: 'dev' } }, /^deploy\.tags\.Stage: Backstop sets this tag itself/],
  [{ tags: { 'backstop:gateway': 'x' } }, /^deploy\.tags.*backstop:gateway.*: Backstop sets this tag itself/],
  [{ metrics: 'none' }, /^deploy\.metrics: expected "all" or "essential"/],
])('%o is told in words', (deploy, message) => {
  expect(problemsWith(deploy)).toEqual([expect.stringMatching(message)])
})

describe('who the canary is', () => {
  const models = { first: { tiers: [['groq/a']] }, second: { tiers: [['groq/b']], clients: ['app'] } }
  const problems = (config: object, deploy: object = { canary: true }): readonly string[] =>
    problemsOf({ models, deploy, ...config })

  test.each<[string, object, object]>([
    ['a client without an entry', {}, { canary: true }],
    [
      'a list that holds its model',
      { clients: { default: { models: ['first'] }, app: {} } },
      { canary: true },
    ],
    [
      'limits alone',
      { clients: { default: { concurrency: 1 }, '*': { models: ['second'] } } },
      { canary: true },
    ],
    ['a role without an entry', {}, { canary: true, auth: 'iam' }],
  ])('may use its model: %s', (_, config, deploy) => {
    expect(problems(config, deploy)).toEqual([])
  })

  test.each<[string, object, object, string]>([
    [
      'its own list',
      { clients: { default: { models: ['second'] }, app: {} } },
      { canary: true },
      `deploy.canary: the client 'default', whose key the canary uses, may not use the model "first", because of clients.default.models. Allow it one, or remove the canary`,
    ],
    [
      'the list of all others',
      { clients: { '*': { models: ['second'] } } },
      { canary: true, auth: 'iam' },
      `deploy.canary: the canary's role may not use the model "first", because of clients.*.models. Allow it one, or remove the canary`,
    ],
    [
      'the list of its model',
      {},
      { canary: { model: 'second' } },
      `deploy.canary: the client 'default', whose key the canary uses, may not use the model "second", because of models.second.clients. Set it to { model: "first" }`,
    ],
  ])('may not use it: %s', (_, config, deploy, message) => {
    expect(problems(config, deploy).join('\n')).toContain(message)
  })
})
