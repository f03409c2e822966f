import type { Price } from '../../core/endpoint.ts'
import type { PriceList } from '../provider-row.ts'

const price = (input: number, output: number, cachedInput = input): Price => ({ input, output, cachedInput })

/** https://platform.openai.com/docs/pricing */
export const OPENAI_PRICES: PriceList = {
  asOf: '2026-06',
  models: {
    'gpt-4o': price(2.5, 10, 1.25),
    'gpt-4o-mini': price(0.15, 0.6, 0.075),
    'gpt-4.1': price(2, 8, 0.5),
    'gpt-4.1-mini': price(0.4, 1.6, 0.1),
    'gpt-4.1-nano': price(0.1, 0.4, 0.025),
    'gpt-5': price(1.25, 10, 0.125),
    'gpt-5-mini': price(0.25, 2, 0.025),
    'gpt-5-nano': price(0.05, 0.4, 0.005),
    o3: price(2, 8, 0.5),
    'o4-mini': price(1.1, 4.4, 0.275),
    'text-embedding-3-small': price(0.02, 0),
    'text-embedding-3-large': price(0.13, 0),
  },
}

/** https://docs.claude.com/en/docs/about-claude/pricing */
export const ANTHROPIC_PRICES: PriceList = {
  asOf: '2026-01',
  models: {
    'claude-opus-4-5': price(5, 25, 0.5),
    'claude-opus-4-1': price(15, 75, 1.5),
    'claude-sonnet-4-5': price(3, 15, 0.3),
    'claude-sonnet-4': price(3, 15, 0.3),
    'claude-haiku-4-5': price(1, 5, 0.1),
    'claude-3-5-haiku': price(0.8, 4, 0.08),
  },
}

/** https://groq.com/pricing */
export const GROQ_PRICES: PriceList = {
  asOf: '2026-01',
  models: {
    'llama-3.1-8b-instant': price(0.05, 0.08),
    'llama-3.3-70b-versatile': price(0.59, 0.79),
    'openai/gpt-oss-20b': price(0.075, 0.3, 0.0375),
    'openai/gpt-oss-120b': price(0.15, 0.6, 0.075),
    'qwen/qwen3-32b': price(0.29, 0.59),
    'meta-llama/llama-4-scout-17b-16e-instruct': price(0.11, 0.34),
  },
}
