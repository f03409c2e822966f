import type { EndpointTimeouts, Price } from '../core/endpoint.ts'
import type { NativeApi } from '../core/native-call.ts'
import type { ProviderFailures } from '../core/failures/provider-failures.ts'

/** Whole ids that a host takes, and the length of those that stand in for others. */
export type ToolCallIdForm = { takes: RegExp; length: number }

/** Where a provider's wire differs from OpenAI's chat API, as data that `fitRequest` acts on. */
export type Quirks = {
  /** What becomes of messages with the role `developer`. */
  developerRole: 'keep' | 'system'
  /** Top-level fields that mean the same under another name: `[from, to]`. */
  renamedFields: readonly (readonly [string, string])[]
  /** Top-level fields that are refused and may be dropped; never one that changes the answer. */
  droppedFields: readonly string[]
  /** False: answers come whole, and are asked for like that. */
  streams: boolean
  /** Takes `stream_options.include_usage`; where not, `stream_options` is not sent at all. */
  streamOptions: boolean
  /** Fields of assistant messages that other providers hand out and this one refuses back. */
  droppedMessageFields: readonly string[]
  droppedToolCallFields: readonly string[]
  /** Ids of tool calls that another provider gave out, in the form that this host takes; null = in any. */
  toolCallIds: ToolCallIdForm | null
  /** `content` of an assistant message that calls tools: where it is blank, or (`none`) whatever it says. */
  toolCallContent: 'keep' | 'null' | 'empty' | 'none'
  /** Message content made of text parts alone is sent as one string. */
  joinsTextParts: boolean
  /** Texts that say nothing, beside other parts or tool calls: sent, or left out because they are refused. */
  emptyTexts: 'keep' | 'drop'
  /** Stands in for reasoning that another provider's tool calls came without; null = none is demanded. */
  missingReasoning: string | null
  /** Stands in for the thought signature that another provider's tool calls came without. */
  missingThoughtSignature: string | null
  /** Sent as `max_tokens` where the client set no limit and the host's own default would cut answers short. */
  assumedMaxTokens: number | null
}

type Authentication = 'bearer' | { header: string }

/** Another API that a provider serves beside the chat completions. */
export type Wire = {
  /** Resolved like a link from the base URL: `messages` is under it, `/api/messages` on its host, or a whole URL. */
  path: string
  authentication: Authentication
  /** It remembers answers, so that a request may refer to an earlier one. */
  stateful: boolean
  /** It counts the tokens of a request too. */
  countsTokens?: boolean
  /** Only these models are served in this way; absent = all. */
  models?: RegExp
}

/** List prices of well-known models, by id without the date behind it; those that the configuration states win. */
export type PriceList = {
  /** When they were read, because prices change: `YYYY-MM`. */
  asOf: string
  models: Readonly<Record<string, Price>>
}

/** Everything the gateway knows about one provider. */
export type ProviderRow = ProviderFailures & {
  /** Without a trailing slash; `{region}` stands for the AWS region. Null where the account decides, so that the configuration must say. */
  baseUrl: string | null
  /** What a base URL looks like where it is null. */
  baseUrlExample: string | null
  authentication: Authentication
  /** The service name under which calls are signed with AWS credentials where no key is set; null = never. */
  signedAs: string | null
  /** Other environment variables in which people have its key already; read where its own is not set. */
  keyVariables: readonly string[]
  /** How all of its keys begin, and nobody else's; null = not known. */
  keyPrefix: string | null
  /** False: works without a key too, and uses one where it is set. */
  needsKey: boolean
  timeouts: EndpointTimeouts
  quirks: Quirks
  /** Quirks of some of its models only. */
  modelQuirks: { matching: RegExp; quirks: Partial<Quirks> } | null
  wires: { readonly [Api in NativeApi]?: Wire }
  prices: PriceList | null
}

type Differences = Partial<Omit<ProviderRow, 'quirks'>> & { quirks?: Partial<Quirks> }

/** A row as it is written: what differs from the generic one, or from the row of `like`. */
export type RowSource = Differences & {
  /** The same company under a second id, with a base URL (and so a key) of its own. */
  like?: string
}

/** What every OpenAI-compatible host is taken to be until its row says otherwise: nothing is dropped. */
export const GENERIC_ROW: ProviderRow = {
  baseUrl: null,
  baseUrlExample: 'https://llm.example.com/v1',
  authentication: 'bearer',
  signedAs: null,
  keyVariables: [],
  keyPrefix: null,
  needsKey: true,
  timeouts: {},
  quirks: {
    developerRole: 'system',
    renamedFields: [],
    droppedFields: [],
    streams: true,
    streamOptions: true,
    droppedMessageFields: [],
    droppedToolCallFields: [],
    toolCallIds: null,
    emptyTexts: 'keep',
    toolCallContent: 'keep',
    joinsTextParts: false,
    missingReasoning: null,
    missingThoughtSignature: null,
    assumedMaxTokens: null,
  },
  modelQuirks: null,
  wires: {},
  prices: null,
  codes: [],
  traits: {},
}

/** A whole row from what differs from another one. */
export function completeRow({ quirks, ...rest }: Differences, base: ProviderRow): ProviderRow {
  return { ...base, ...rest, quirks: { ...base.quirks, ...quirks } }
}

/** OpenAI and Anthropic put the date of a snapshot behind the model's name. */
const SNAPSHOT = /-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$/

/** What one model of a provider costs by its list; null where the list does not know it. */
export function listPriceOf({ prices }: ProviderRow, model: string): Price | null {
  const known = prices?.models ?? {}
  const name = Object.hasOwn(known, model) ? model : model.replace(SNAPSHOT, '')
  return (Object.hasOwn(known, name) ? known[name] : undefined) ?? null
}

/** The quirks that hold for one model of a provider. */
export function quirksOf(provider: ProviderRow, model: string): Quirks {
  const { modelQuirks, quirks } = provider
  return modelQuirks?.matching.test(model) ? { ...quirks, ...modelQuirks.quirks } : quirks
}
