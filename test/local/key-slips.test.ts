import { expect, test } from 'vitest'
import { keySlips } from '../../infra/local/key-slips.ts'

const slipsOf = (variables: Record<string, string>, dotEnvText = '') =>
  keySlips({
    unkeyed: ['openai', 'groq', 'lab'],
    providers: ['openai', 'groq', 'lab', 'tax'],
    variables,
    dotEnvText,
  })

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

test.each(['XAI_API_KEY', 'TAX_API_KEY', 'GOOGLE_API_KEY', 'HF_TOKEN'])(
  '%s belongs to another provider',
  name => expect(slipsOf({ [name]: 'x' })).toEqual([]),
)

test('a few other letters make another name of a short one', () => {
  expect(slipsOf({ LAN_API_KEY: 'x' })).toEqual([
    'LAN_API_KEY is not read. The key of lab is read from LAB_API_KEY.',
  ])
  expect(slipsOf({ FAX_API_KEY: 'x', MAB2_API_KEY: 'x' })).toEqual([])
})

test('what was meant for something else is left alone', () => {
  expect(
    slipsOf({ LANGFUSE_API_KEY: 'x', MONKEY: 'x', GROQ_API_KE: 'x' }, 'A=GROQ_API_KEY\n# GROQ_API_KEY'),
  ).toEqual([])
})
