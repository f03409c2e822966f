import { providerKeyVariable } from '../../lambdas/core/provider-key-variable.ts'
import type { Chain, Endpoint } from '../../lambdas/core/endpoint.ts'
import { type Paint, printable } from '../terminal/paint.ts'

/** What the start of the gateway tells the person who started it. */
export type StartupFacts = {
  /** How it is called from this machine. */
  url: string
  /** Of the live page; a secret where client keys are set. */
  pageUrl: string
  /** How other machines call it; empty = they cannot. */
  networkUrls: readonly string[]
  chains: readonly Chain[]
  /** Providers that are simulated because no key of theirs is set. */
  simulated: readonly string[]
  /** Aliases that exist for demonstration alone. */
  demonstrations: readonly string[]
  /** Providers that have a key. */
  keyed: ReadonlySet<string>
  clientKeysSet: boolean
  /** Where the fleet's memory is; null = in this process, gone when it stops. */
  memoryAt: string | null
  /** What helps where calls fail, such as a proxy that they go through. */
  notices: readonly string[]
  warnings: readonly string[]
}

/** The banner, ready to print: where it listens, what is real, and a request to paste. */
export function startupBanner(facts: StartupFacts, paint: Paint, platform = process.platform): string {
  const { url, pageUrl, networkUrls, chains, simulated, demonstrations } = facts
  const { clientKeysSet, memoryAt, notices, warnings } = facts
  const own = chains.filter(({ alias }) => !demonstrations.includes(alias))
  const firstAlias = own[0]?.alias ?? chains[0]?.alias ?? 'MODEL'
  const paragraphs = [
    [
      `${paint('bold', 'Backstop')} listens on ${paint('cyan', url)}`,
      `Watch it live at ${paint('cyan', pageUrl)}`,
      ...networkUrls.map(other => `Other machines call it at ${paint('cyan', other)}`),
    ],
    endpointTable(own, endpoint => endpointState(endpoint, facts), paint),
    simulated.length > 0 ? simulationNotice(simulated) : [],
    keylessNotice(own, facts),
    demonstrations.length > 0
      ? [`To see how it behaves when things break: ${demonstrations.join(', ')}`]
      : [],
    clientKeysSet
      ? []
      : ['No client keys are set (BACKSTOP_CLIENT_KEYS): any program on this machine can call it.'],
    memoryAt === null ? [] : [`State is shared through the DynamoDB at ${memoryAt}.`],
    notices,
    warnings.map(warning => paint('yellow', warning)),
    ['Try it:', ...tryLines(facts, firstAlias, platform)],
  ]
  return `${paragraphs
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n')}\n`
}

type EndpointState = 'real' | 'simulated' | 'no key'

function endpointState({ provider, needsKey }: Endpoint, { simulated, keyed }: StartupFacts): EndpointState {
  if (simulated.includes(provider)) return 'simulated'
  return needsKey && !keyed.has(provider) ? 'no key' : 'real'
}

const STATE_STYLES = { real: 'green', simulated: 'yellow', 'no key': 'red' } as const

function endpointTable(
  chains: readonly Chain[],
  stateOf: (endpoint: Endpoint) => EndpointState,
  paint: Paint,
): string[] {
  const rows = chains.flatMap(({ alias, tiers }) =>
    tiers.flatMap((tier, tierIndex) =>
      tier.map((endpoint, index) => ({
        alias: tierIndex === 0 && index === 0 ? printable(alias) : '',
        tier: index === 0 ? String(tierIndex + 1) : '',
        name: printable(endpoint.name),
        state: stateOf(endpoint),
      })),
    ),
  )
  if (rows.length > MOST_ROWS) return aliasTable(chains, stateOf, paint)
  const aliasWidth = Math.max('alias'.length, ...rows.map(({ alias }) => alias.length))
  const nameWidth = Math.max('endpoint'.length, ...rows.map(({ name }) => name.length))
  const line = (alias: string, tier: string, name: string, state: string): string =>
    `  ${alias.padEnd(aliasWidth)}  ${tier.padEnd(4)}  ${name.padEnd(nameWidth)}  ${state}`
  return [
    paint('dim', line('alias', 'tier', 'endpoint', '').trimEnd()),
    ...rows.map(({ alias, tier, name, state }) => line(alias, tier, name, paint(STATE_STYLES[state], state))),
  ]
}

/** What a terminal shows at once. */
const MOST_ROWS = 40

/** Where there are many endpoints, each alias with how many of them are what. */
function aliasTable(
  chains: readonly Chain[],
  stateOf: (endpoint: Endpoint) => EndpointState,
  paint: Paint,
): string[] {
  const width = Math.max('alias'.length, ...chains.map(({ alias }) => printable(alias).length))
  const line = (alias: string, count: string, states: string): string =>
    `  ${alias.padEnd(width)}  ${count.padEnd('endpoints'.length)}  ${states}`
  return [
    paint('dim', line('alias', 'endpoints', '').trimEnd()),
    ...chains.map(({ alias, tiers }) => {
      const endpoints = tiers.flat()
      const states = [...Map.groupBy(endpoints, stateOf)].map(([state, found]) =>
        paint(STATE_STYLES[state], `${found.length} ${state}`),
      )
      return line(printable(alias), String(endpoints.length), states.join(', '))
    }),
  ]
}

/** Providers of one's own are not simulated. */
function keylessNotice(chains: readonly Chain[], facts: StartupFacts): string[] {
  const endpoints = chains.flatMap(({ tiers }) => tiers.flat())
  const keyless = endpoints.filter(endpoint => endpointState(endpoint, facts) === 'no key')
  const providers = [...new Set(keyless.map(({ provider }) => provider))]
  if (providers.length === 0) return []
  return [
    `No key is set for ${providers.join(', ')}: set ${providers.map(providerKeyVariable).join(', ')}, ` +
      'or write key: false in the configuration for a host that needs none.',
  ]
}

const simulationNotice = (simulated: readonly string[]): string[] => [
  `Simulated on this machine, because no key is set: ${simulated.join(', ')}.`,
  `For the real ones, set ${simulated.map(providerKeyVariable).join(', ')} (a .env file will do).`,
]

/**
 * Requests to paste. The command finds a client key by itself, in the environment or in .env, and its quotes are those
 * of every shell; the shells of Windows do not know curl's.
 */
function tryLines({ url, clientKeysSet }: StartupFacts, alias: string, platform: NodeJS.Platform): string[] {
  const ask = [`  npm run ask -- "What is a backstop?" --url ${url}`]
  if (platform === 'win32') return ask
  const curl = curlLines(url, alias, clientKeysSet)
  return clientKeysSet ? [...ask, 'or, with one of the client keys in BACKSTOP_CLIENT_KEY:', ...curl] : curl
}

/** The key itself is never printed: the shell fills it in. */
const curlLines = (url: string, alias: string, clientKeysSet: boolean): string[] => [
  `  curl -iN ${url}/v1/chat/completions -H 'content-type: application/json' \\`,
  ...(clientKeysSet ? ['    -H "authorization: Bearer $BACKSTOP_CLIENT_KEY" \\'] : []),
  `    -d '${JSON.stringify({ model: alias, stream: true, messages: [{ role: 'user', content: 'What is a backstop?' }] })}'`,
]
