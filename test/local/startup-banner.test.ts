import { expect, test } from 'vitest'
import { type StartupFacts, startupBanner } from '../../infra/local/startup-banner.ts'
import { plain } from '../../infra/terminal/paint.ts'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { resolveGateway } from '../../lambdas/config/resolve-gateway.ts'

const config = parseGatewayConfig({
  providers: { office: { baseUrl: 'https://llm.example.com/v1' } },
  models: {
    'gpt-4o': {
      tiers: [
        ['openai/gpt-4o', 'groq/llama'],
        ['ollama/llama', 'office/llama'],
      ],
    },
    'demo-cut': { tiers: [['ollama/cut']] },
  },
})

const FACTS: StartupFacts = {
  url: 'http://127.0.0.1:4141',
  networkUrls: [],
  chains: [...resolveGateway(config).chains.values()],
  simulated: ['openai'],
  pageUrl: 'http://127.0.0.1:4141/',
  demonstrations: ['demo-cut'],
  keyed: new Set(['groq']),
  clientKeysSet: false,
  memoryAt: null,
  notices: [],
  warnings: ['RETRY_BASE_MS is ignored'],
}

test('tells where it listens, what is real and what is not, and a request to paste', () => {
  expect(startupBanner(FACTS, plain)).toBe(`Backstop listens on http://127.0.0.1:4141
Watch it live at http://127.0.0.1:4141/

  alias   tier  endpoint
  gpt-4o  1     openai/gpt-4o  simulated
                groq/llama     real
          2     ollama/llama   real
                office/llama   no key

Simulated on this machine, because no key is set: openai.
For the real ones, set OPENAI_API_KEY (a .env file will do).

No key is set for office: set OFFICE_API_KEY, or write key: false in the configuration for a host that needs none.

To see how it behaves when things break: demo-cut

No client keys are set (BACKSTOP_CLIENT_KEYS): any program on this machine can call it.

RETRY_BASE_MS is ignored

Try it:
  curl -iN http://127.0.0.1:4141/v1/chat/completions -H 'content-type: application/json' \\
    -d '{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"What is a backstop?"}]}'
`)
})

test('lets the shell fill in the client key, and says nothing of simulation where there is none', () => {
  const banner = startupBanner(
    { ...FACTS, simulated: [], demonstrations: [], clientKeysSet: true, warnings: [] },
    plain,
  )
  expect(banner).toContain('npm run ask -- "What is a backstop?" --url http://127.0.0.1:4141\n')
  expect(banner).toContain('-H "authorization: Bearer $BACKSTOP_CLIENT_KEY"')
  expect(banner).not.toMatch(/Simulated|No client keys are set|demo-cut$/m)
})

test('where there are many endpoints, a line tells of each alias', () => {
  const tiers = [['openai/gpt-4o', 'groq/llama'], ['office/llama']]
  const models = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`model-${index}`, { tiers }]))
  const { chains } = resolveGateway({ ...config, models } as typeof config)
  const banner = startupBanner({ ...FACTS, chains: [...chains.values()] }, plain)
  expect(banner).toMatch(/^ {2}model-7 {3}3 {10}1 simulated, 1 real, 1 no key$/m)
  expect(banner).not.toContain('groq/llama')
})

test('on Windows, what is to be pasted has the quotes that its shells know', () => {
  const banner = startupBanner(FACTS, plain, 'win32')
  expect(banner).toMatch(
    /Try it:\n {2}npm run ask -- "What is a backstop\?" --url http:\/\/127\.0\.0\.1:4141\n$/,
  )
  expect(banner).not.toContain('curl')
})
