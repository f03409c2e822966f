/** Keys of the shapes that providers give out, and of some that only their owner knows as keys. */
export const KEYS: Readonly<Record<string, string>> = {
  'a key with a prefix': 'sk-proj-Zq7Lw2Xn9Rk4Vb8Td3Hs6Jm1Pc5Gy0Fu7Wa2Ex9',
  'another prefix': 'gsk_u8Nf3Kd7Vq1Zb5Xm9Tr2Wy6Lp4Hc0JsQe8Ga3Ik7',
  'a Google key': 'AIzaSyD7kQ2vX9mN4bR8tL1wZ5cH3jF6gP0sYuE',
  'a UUID': '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  'hexadecimal digits': '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b',
  'a JWT':
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ0ZWFtLTQyIiwiaWF0IjoxNzAwMDAwMDAwfQ.k3Jx9QvLw7Zr2Nd5Tb8Hf1Ym4Pc6Gs0Ue',
  'a short word': 'quibblefrost',
}

export const PROMPT =
  'My grandmother Áslaug’s recipe — “rate limit” & <model not found> — asks for 250 g of Zwölfkornmehl, näturlich!'
/** Not one letter of these is in ASCII. */
const LETTER =
  'Бабушка прятала рецепт «Ржаного Хлеба» под камнем у северного маяка, и НИКТО об этом не знает.'
const POEM = '祖母把菜谱藏在北方灯塔旁边的石头下面，谁也不知道它在哪里，只有海鸥知道。'
const SYSTEM = 'You are the archivist of the sunken library of Vestmannaeyjar, and you tell nobody of it.'
const ARGUMENTS = { city: 'Kirkjubæjarklaustur by the glacier', note: 'bring the lantern and the ledger' }

export const SURFACES = ['chat', 'responses', 'messages', 'embeddings'] as const
export type AskedSurface = (typeof SURFACES)[number]

type Question = { path: string; body: object }
type Ask = (model: string, stream: boolean, mark: string) => Question

const said = JSON.stringify(ARGUMENTS)
const tool = { name: 'look_up', description: SYSTEM }

/** A question in each API that says the prompt, a system text and arguments of a tool. */
export const QUESTIONS: Readonly<Record<AskedSurface, Ask>> = {
  chat: (model, stream, mark) => ({
    path: '/v1/chat/completions',
    body: {
      model,
      stream,
      messages: [
        { role: 'system', content: SYSTEM },
        { role: 'user', content: PROMPT },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look_up', arguments: said } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Nothing.' },
        { role: 'user', content: [{ type: 'text', text: LETTER }] },
        { role: 'user', content: POEM },
        { role: 'user', content: mark },
      ],
      tools: [{ type: 'function', function: { ...tool, parameters: { type: 'object', properties: {} } } }],
    },
  }),
  responses: (model, stream, mark) => ({
    path: '/v1/responses',
    body: {
      model,
      stream,
      instructions: SYSTEM,
      input: [
        { role: 'user', content: PROMPT },
        { type: 'function_call', call_id: 'call_1', name: 'look_up', arguments: said },
        { type: 'function_call_output', call_id: 'call_1', output: 'Nothing.' },
        { role: 'user', content: LETTER },
        { role: 'user', content: POEM },
        { role: 'user', content: mark },
      ],
    },
  }),
  messages: (model, stream, mark) => ({
    path: '/v1/messages',
    body: {
      model,
      stream,
      max_tokens: 64,
      system: SYSTEM,
      messages: [
        { role: 'user', content: PROMPT },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'toolu_1', name: 'look_up', input: ARGUMENTS }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Nothing.' }] },
        { role: 'user', content: `${LETTER}\n${POEM}` },
        { role: 'user', content: mark },
      ],
      tools: [{ ...tool, input_schema: { type: 'object', properties: {} } }],
    },
  }),
  embeddings: (model, _, mark) => ({
    path: '/v1/embeddings',
    body: { model, input: [PROMPT, LETTER, POEM, mark] },
  }),
}

/** All that a request of `QUESTIONS` says. */
export const SAID = [PROMPT, SYSTEM, said, LETTER, POEM]
