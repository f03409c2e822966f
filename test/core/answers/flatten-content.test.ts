import { describe, expect, it } from 'vitest'
import { flattenContent } from '../../../lambdas/core/answers/flatten-content.ts'

const parts = [
  {
    type: 'thinking',
    thinking: [
      { type: 'text', text: 'Two and two' },
      { type: 'text', text: ' make' },
    ],
  },
  { type: 'text', text: '4' },
  { type: 'text', text: '!' },
]

describe('content that came as parts', () => {
  it('becomes the string that clients expect, with the thinking beside it', () => {
    const whole = flattenContent({ choices: [{ index: 0, message: { role: 'assistant', content: parts } }] })
    expect(whole.choices).toEqual([
      { index: 0, message: { role: 'assistant', content: '4!', reasoning_content: 'Two and two make' } },
    ])
  })

  it('is joined in a delta too, and without thinking none is made up', () => {
    const chunk = flattenContent({
      choices: [{ index: 0, delta: { content: parts.slice(1) }, finish_reason: null }],
    })
    expect(chunk.choices).toEqual([{ index: 0, delta: { content: '4!' }, finish_reason: null }])
  })

  it('is left alone where it is a string: the very same object comes back', () => {
    const chunk = { choices: [{ index: 0, delta: { content: 'Hello' } }] }
    expect(flattenContent(chunk)).toBe(chunk)
  })
})
