import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { estimatePromptTokens } from '../../../lambdas/core/tokens/estimate-tokens.ts'
import type { Json, JsonObject } from '../../../lambdas/core/json.ts'

const asked = (content: Json): number => estimatePromptTokens({ messages: [{ role: 'user', content }] })
const EMPTY = asked('')

const emptyMessages = (count: number): JsonObject => ({
  messages: Array.from({ length: count }, () => ({ role: 'user', content: '' })),
})

const english =
  'The gateway asks the first endpoint of the chain, and when that one fails it asks the next one. ' +
  'Nobody who reads the answer needs to know how many of them were broken that morning.'
const code = 'export function add(left: number, right: number): number {\n  return left + right\n}\n'.repeat(
  3,
)

describe('text', () => {
  test.each([
    ['English', english, 34, 50],
    ['source code', code, 45, 90],
    ['German', 'Übermäßig lange Wörter zählen für die Schätzung etwas mehr als kürzere.', 16, 28],
    ['Russian', 'Шлюз спрашивает следующую модель, когда первая не отвечает вовремя.', 15, 32],
    ['Chinese', '当第一个模型没有及时回答时，网关会询问下一个模型。', 15, 28],
    ['Japanese', '最初のモデルが応答しない場合、ゲートウェイは次のモデルに尋ねます。', 18, 36],
    ['Korean', '첫 번째 모델이 응답하지 않으면 게이트웨이는 다음 모델에 묻습니다.', 14, 36],
    ['Hindi', 'जब पहला मॉडल उत्तर नहीं देता तो गेटवे अगले से पूछता है।', 14, 45],
    ['emoji', '🎉🎉🎉🎉🎉', 5, 15],
    ['digits', '1234567890'.repeat(9), 27, 45],
  ])('of %s is estimated between what tokenisers of today and of yesterday say', (_, text, least, most) => {
    const tokens = asked(text) - EMPTY
    expect(tokens).toBeGreaterThanOrEqual(least)
    expect(tokens).toBeLessThanOrEqual(most)
  })

  test('costs about the same in parts as in one piece', () => {
    expect(Math.abs(asked([{ type: 'text', text: english }]) - asked(english))).toBeLessThanOrEqual(6)
  })

  test('never costs less for being longer', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, more) => {
        expect(asked(text + more)).toBeGreaterThanOrEqual(asked(text))
        expect(asked(more + text)).toBeGreaterThanOrEqual(asked(text))
      }),
    )
  })
})

describe('what is not text', () => {
  const base64 = 'A'.repeat(400_000)
  const image = (detail?: string): Json => [
    {
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${base64}`, ...(detail ? { detail } : {}) },
    },
  ]

  test.each([
    ['an image of low detail', image('low'), 85],
    ['an image of unstated detail', image(), 765],
    ['an image of high detail', image('high'), 1_105],
    ['an image as a bare string', [{ type: 'image_url', image_url: `data:image/png;base64,${base64}` }], 765],
    ['recorded sound', [{ type: 'input_audio', input_audio: { data: base64, format: 'wav' } }], 120],
    ['compressed sound', [{ type: 'input_audio', input_audio: { data: base64, format: 'mp3' } }], 300],
    ['a file', [{ type: 'file', file: { filename: 'a.pdf', file_data: base64 } }], 10_000],
    ['a file known by its id', [{ type: 'file', file: { file_id: 'file-1' } }], 1_000],
    ['a video', [{ type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } }], 1_000],
  ])('%s costs a flat price, or by its size', (_, content, tokens) => {
    expect(asked(content) - EMPTY).toBe(tokens)
  })
})

describe('what stands beside the text', () => {
  const schema = { type: 'object', properties: { city: { type: 'string', description: english } } }
  const body = { messages: [{ role: 'user', content: 'hi' }] }

  test.each<[string, JsonObject]>([
    ['tools', { tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] }],
    ['legacy functions', { functions: [{ name: 'f', parameters: schema }] }],
    [
      'a schema for the answer',
      { response_format: { type: 'json_schema', json_schema: { name: 's', schema } } },
    ],
    ['a prediction', { prediction: { type: 'content', content: english } }],
    ['another message', { messages: [...body.messages, { role: 'assistant', content: english }] }],
    [
      'calls of tools',
      {
        messages: [
          { ...body.messages[0], tool_calls: [{ id: 'a', function: { name: 'f', arguments: english } }] },
        ],
      },
    ],
    ['reasoning that is sent back', { messages: [{ ...body.messages[0], reasoning_content: english }] }],
  ])('counts: %s', (_, extra) => {
    expect(estimatePromptTokens({ ...body, ...extra })).toBeGreaterThan(estimatePromptTokens(body) + 30)
  })

  test('does not count where the model never sees it', () => {
    expect(estimatePromptTokens({ ...body, metadata: { note: english }, user: english })).toBe(
      estimatePromptTokens(body),
    )
  })

  test('gives every message its frame', () => {
    expect(estimatePromptTokens(emptyMessages(100)) - estimatePromptTokens(emptyMessages(0))).toBe(400)
  })
})

describe('the estimate', () => {
  const key = fc.constantFrom(
    'messages',
    'content',
    'type',
    'image_url',
    'file',
    'tools',
    'input_audio',
    'data',
    'url',
  )
  const value = fc.constantFrom<Json>('image_url', 'input_audio', 'file', 'text', null, -1, 'https://x', '')

  test('of anything is a whole number, and not negative', () => {
    fc.assert(
      fc.property(fc.object({ key, values: [value], maxDepth: 5 }), body => {
        const tokens = estimatePromptTokens(body as JsonObject)
        expect(Number.isInteger(tokens)).toBe(true)
        expect(tokens).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  test('survives nesting deeper than the stack', () => {
    const depth = 200_000
    const deep: Json = JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)
    expect(
      estimatePromptTokens({ messages: [{ role: 'user', content: deep }], tools: deep }),
    ).toBeGreaterThan(depth)
  })
})
