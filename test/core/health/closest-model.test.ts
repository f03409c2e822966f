import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { closestModel } from '../../../lambdas/core/health/closest-model.ts'

const GROQ = [
  'llama-3.1-8b-instant',
  'llama-3.3-70b-versatile',
  'meta-llama/llama-4-scout-17b-16e-instruct',
  'meta-llama/llama-guard-4-12b',
  'openai/gpt-oss-120b',
  'openai/gpt-oss-20b',
  'qwen/qwen3-32b',
  'moonshotai/kimi-k2-instruct',
  'whisper-large-v3',
  'playai-tts',
]
const ANTHROPIC = [
  'claude-opus-4-1-20250805',
  'claude-sonnet-4-20250514',
  'claude-3-7-sonnet-20250219',
  'claude-3-5-haiku-20241022',
  'claude-3-haiku-20240307',
]
const OPENAI = [
  'gpt-4o',
  'gpt-4o-mini',
  'gpt-4o-2024-08-06',
  'gpt-4.1',
  'gpt-4.1-mini',
  'o3-mini',
  'text-embedding-3-small',
  'text-embedding-3-large',
  'tts-1',
]
const OPENROUTER = [
  'deepseek/deepseek-chat-v3.1:free',
  'deepseek/deepseek-r1:free',
  'meta-llama/llama-3.3-70b-instruct:free',
  'mistralai/mistral-small-3.2-24b-instruct:free',
  'google/gemini-2.0-flash-exp:free',
]

describe('the closest model of a list', () => {
  test.each([
    ['another version of the same size', 'llama3-70b-8192', GROQ, 'llama-3.3-70b-versatile'],
    ['the size before the family’s other members', 'llama3-8b-8192', GROQ, 'llama-3.1-8b-instant'],
    ['a family of one', 'qwen-qwq-32b', GROQ, 'qwen/qwen3-32b'],
    ['the next of its own kind', 'claude-3-opus-20240229', ANTHROPIC, 'claude-opus-4-1-20250805'],
    ['the same without its date', 'gpt-4o-2024-05-13', OPENAI, 'gpt-4o'],
    ['an embedding for an embedding', 'text-embedding-ada-002', OPENAI, 'text-embedding-3-small'],
    ['what was renamed', 'deepseek/deepseek-chat:free', OPENROUTER, 'deepseek/deepseek-chat-v3.1:free'],
    ['what was mistyped', 'lama-3.3-70b-versatil', GROQ, 'llama-3.3-70b-versatile'],
    ['nothing where nothing is like it', 'dall-e-3', GROQ, null],
    ['nothing where the list is empty', 'gpt-4', [], null],
    [
      'another one where the list still has it',
      'gpt-4o-mini',
      ['gpt-4o-mini', 'gpt-4.1-mini'],
      'gpt-4.1-mini',
    ],
  ])('is %s', (_, gone, listed, expected) => {
    expect(closestModel(gone, listed, '')).toBe(expected)
  })

  it('is what the provider itself names beside it', () => {
    const words = (text: string) => closestModel('llama3-8b-8192', GROQ, text)
    expect(words('`llama3-8b-8192` has been decommissioned, use openai/gpt-oss-20b.')).toBe(
      'openai/gpt-oss-20b',
    )
    // A name is no part of a longer one.
    expect(words('It was replaced by openai/gpt-oss-20b-turbo.')).toBe('llama-3.1-8b-instant')
    expect(words('It was replaced by openai/gpt-oss-20b.5')).toBe('llama-3.1-8b-instant')
  })

  it('is always one of the list, and never the one that is gone', () => {
    const name = fc.stringMatching(/^[a-z]{1,6}[-/:.]?\d{0,3}b?$/)
    fc.assert(
      fc.property(name, fc.array(name), fc.string(), (gone, listed, words) => {
        const found = closestModel(gone, listed, words)
        expect(found === null || (found !== gone && listed.includes(found))).toBe(true)
      }),
    )
  })
})
