import { expect, test } from 'vitest'
import { keySlips } from '../../infra/local/key-slips.ts'

const slipsOf = (variables: Record<string, string>, dotEnvText = '') =>
  keySlips({ unkeyed: ['openai', 'groq'], variables, dotEnvText })

test.each([
  ['OPEN_AI_API_KEY', 'OPEN_AI_API_KEY is not read. The key of openai is read from OPENAI_API_KEY.'],
  ['groq_api_key', 'groq_api_key is not read. The key of groq is read from GROQ_API_KEY.'],
  ['set GROQ_API_KEY', 'set GROQ_API_KEY is not read. The key of groq is read from GROQ_API_KEY.'],
])('a variable %s was meant for a provider', (name, sentence) => {
  expect(slipsOf({ [name]: 'gsk_secret' })).toEqual([sentence])
})

test.each(['GROQ_API_KEY: gsk_secret', '{"GROQ_API_KEY":"gsk_secret"}', 'GROQ_API_KEY gsk_secret'])(
  'a line %j of .env sets nothing',
  line => {
    expect(slipsOf({}, `# GROQ_API_KEY: here\r\n${line}\r\n`)).toEqual([
      'Line 2 of .env does not set GROQ_API_KEY: write it as GROQ_API_KEY=<key>.',
    ])
  },
)

test('what was meant for something else is left alone', () => {
  expect(
    slipsOf({ LANGFUSE_API_KEY: 'x', MONKEY: 'x', GROQ_API_KE: 'x' }, 'A=GROQ_API_KEY\n# GROQ_API_KEY'),
  ).toEqual([])
})
