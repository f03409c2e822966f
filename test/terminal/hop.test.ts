import { expect, test } from 'vitest'
import { formatHop, parseChain } from '../../infra/terminal/hop.ts'
import { plain } from '../../infra/terminal/paint.ts'

test.each([
  ['no chain', null, []],
  [
    'two hops',
    'openai/gpt-4o;rate_limit;429;312 > groq/llama-3.1-8b-instant;ok;200;845',
    ['openai/gpt-4o rate_limit 429 312 ms', 'groq/llama-3.1-8b-instant ok 200 845 ms'],
  ],
  ['a hop without a response', 'office/llama;network;;12', ['office/llama network 12 ms']],
  ['a dash for no status', 'office/llama;network;-;12', ['office/llama network 12 ms']],
  ['a header that was cut', 'a/b;ok;200;1 > ...', ['a/b ok 200 1 ms', '...']],
  ['a name that is not ASCII', 'h%C3%A9berg%C3%A9/qwen%E5%8D%83;ok;200;1', ['hébergé/qwen千 ok 200 1 ms']],
  ['escapes that are none, or half', 'a/50%25%0A%E5%8D;ok;200;1', ['a/50%25%0A%E5%8D ok 200 1 ms']],
  ['a name with a semicolon', 'office/a;b;ok;200;1', ['office/a;b ok 200 1 ms']],
])('%s is read from the header', (_title, header, expected) => {
  expect(parseChain(header).map(hop => formatHop(hop, plain))).toEqual(expected)
})
