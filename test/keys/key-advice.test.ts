import { expect, test } from 'vitest'
import { providerKeyVariable } from '../../lambdas/core/provider-key-variable.ts'
import { environmentKeyAdvice, stackKeyAdvice } from '../../lambdas/keys/key-advice.ts'

test('on a machine the advice names the variable of each provider', () => {
  const advice = environmentKeyAdvice(['llama.cpp', 'opencode-zen'])
  expect(advice).toContain(providerKeyVariable('llama.cpp'))
  expect(advice).toContain(providerKeyVariable('opencode-zen'))
})

test('in a stack it names the command for each provider', () => {
  expect(stackKeyAdvice('Backstop-prod')(['groq', 'mistral'])).toBe(
    'Set one with: npm run keys -- set groq --stack Backstop-prod, or: npm run keys -- set mistral --stack Backstop-prod',
  )
  expect(stackKeyAdvice(null)(['groq'])).toContain('--stack NAME')
})
