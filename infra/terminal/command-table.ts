import type { CommandRow } from './command-row.ts'
import { FLEET_OPTIONS, STACK_OPTIONS } from './fleet-options.ts'

const json = (does: string) => ({ type: 'boolean', does }) as const

const model = (does: string) => ({ type: 'string', value: 'ALIAS', does, names: 'model' }) as const

/** Every command that `npm run` knows beside those of development. */
export const COMMANDS = {
  start: {
    name: 'start',
    does: 'Starts the gateway on this machine. Providers without a key are simulated.',
    options: {
      port: { type: 'string', value: 'N', does: 'the port to listen on; 0 picks a free one (default 4141)' },
      host: {
        type: 'string',
        value: 'ADDRESS',
        does: 'the address to listen on (default 127.0.0.1: this machine alone); 0.0.0.0 is every one, and needs client keys',
      },
      config: {
        type: 'string',
        value: 'FILE',
        does: "a configuration in JSON, YAML or TypeScript, or one of LiteLLM's, Portkey's or OpenRouter's (default infra/gateway.config.ts)",
        names: 'file',
      },
      json: json('structured log lines on stdout, and nothing else there'),
    },
  },
  ask: {
    name: 'ask',
    words: '["question"]',
    does: 'Sends a question to the gateway, and prints the answer as it arrives and which endpoints were called for it.',
    options: {
      interactive: {
        type: 'boolean',
        short: 'i',
        does: 'chat: keep asking, with the conversation so far; Ctrl-C ends an answer, twice the chat',
      },
      'dry-run': { type: 'boolean', does: 'print which endpoints would be called, and call none' },
      system: { type: 'string', value: 'TEXT', does: 'a system prompt' },
      model: model('the model to ask; by default the first one of GET /v1/models'),
      surface: {
        type: 'string',
        value: 'API',
        does: 'the API to speak: chat (by default), responses or messages',
        names: ['chat', 'responses', 'messages'],
      },
      ...FLEET_OPTIONS,
    },
    notes: [
      'What is piped in is added to the question: cat notes.txt | npm run --silent ask -- "Summarise this:"',
    ],
  },
  why: {
    name: 'why',
    words: '[<request-id> | last]',
    does: 'Explains what became of a request: the plan, the skipped endpoints, each attempt, tokens and cost.',
    explained: [
      { word: '<request-id>', does: 'as in the response header x-request-id' },
      { word: 'last', does: 'the newest request; this is the default' },
    ],
    options: {
      failed: { type: 'boolean', does: 'the newest request that failed, or whose stream was cut' },
      rejected: {
        type: 'boolean',
        does: 'the newest request that was refused at the door, such as one with a wrong client key',
      },
      model: model('the newest request of this model'),
      n: { type: 'string', short: 'n', value: 'N', does: 'list the newest N of these in a few words each' },
      json: json('print the log line, or with -n the list, as JSON'),
      hours: {
        type: 'string',
        value: 'N',
        does: 'with --stack: how far back to search its log; 24 by default',
      },
      ...FLEET_OPTIONS,
    },
    notes: [
      'A local gateway remembers its last 1,000 requests, and the last 200 that it refused. For a stack the log is searched, where a request appears after a few seconds.',
    ],
    names: ['last'],
  },
  status: {
    name: 'status',
    does: 'Shows which models answer now, their chains, and every endpoint with what bars it.',
    options: {
      watch: { type: 'boolean', does: 'repeat until Ctrl-C; in a pipe, print one block for each change' },
      all: { type: 'boolean', does: 'also what is well, however many models and endpoints there are' },
      json: json(
        'print what GET /v1/endpoints tells, with the overrides; with --watch, one line for each change',
      ),
      explain: {
        type: 'string',
        value: 'MODEL',
        does: 'the order in which the endpoints of one model would be called now, and why',
        names: 'model',
      },
      ...FLEET_OPTIONS,
    },
  },
  page: {
    name: 'page',
    does: 'Serves the live page of a deployed stack on 127.0.0.1, with your own AWS credentials, until Ctrl-C.',
    options: {
      port: { type: 'string', value: 'N', does: 'where to listen; 0 picks a free one (default 4142)' },
      ...STACK_OPTIONS,
    },
    notes: ['The gateway on this machine serves its page itself, at the address that npm start prints.'],
  },
  usage: {
    name: 'usage',
    does: 'Sums up requests, tokens, dollars and fallbacks, by days of UTC.',
    options: {
      by: {
        type: 'string',
        value: 'GROUP',
        does: 'caller (by default), model, endpoint or day',
        names: ['caller', 'model', 'endpoint', 'day'],
      },
      days: { type: 'string', value: 'N', does: 'the last N days, with today; 7 by default' },
      month: { type: 'string', value: 'YYYY-MM', does: 'a whole month, such as 2026-11; 13 months are kept' },
      json: json('print the sums and the total as JSON'),
      ...FLEET_OPTIONS,
    },
  },
  probe: {
    name: 'probe',
    words: '[<endpoint>]',
    does: 'Probes endpoints now: one real request for one token each. The exit code is 1 if a probe failed.',
    explained: [
      {
        word: '<endpoint>',
        does: 'its name or ID: probe this one, whatever its state; by default, all that are due',
      },
    ],
    options: {
      force: {
        type: 'boolean',
        does: 'probe every suspect or quarantined endpoint, due or not; not what was quarantined by hand',
      },
      ...FLEET_OPTIONS,
    },
    names: 'endpoint',
  },
  release: {
    name: 'release',
    words: '[<endpoint>]',
    does: 'Makes an endpoint healthy at once: clears its failure counts and its cooldowns.',
    explained: [{ word: '<endpoint>', does: 'its name or ID' }],
    options: {
      provider: {
        type: 'string',
        value: 'NAME',
        does: 'close the breaker of a provider, with or without an endpoint',
        names: 'provider',
      },
      ...FLEET_OPTIONS,
    },
    names: 'endpoint',
  },
  quarantine: {
    name: 'quarantine',
    words: '<endpoint>',
    does: 'Stops all requests to an endpoint until it is released.',
    explained: [{ word: '<endpoint>', does: 'its name or ID' }],
    options: {
      reason: { type: 'string', value: 'TEXT', does: 'shown by npm run status' },
      ...FLEET_OPTIONS,
    },
    names: 'endpoint',
  },
  set: {
    name: 'set',
    words: '[name=value …]',
    does: 'Overrides settings on every running gateway at once, several together or none. Without words: lists all settings.',
    explained: [
      { word: 'name=value', does: 'override a setting' },
      { word: 'name=', does: 'remove an override' },
    ],
    options: {
      json: json('print all settings, with their sources, as JSON'),
      ...FLEET_OPTIONS,
    },
    names: 'setting',
  },
  keys: {
    name: 'keys',
    words: 'list | set PROVIDER | client add NAME | remove PROVIDER | remove client NAME',
    does: 'Manages the keys of providers and clients: in the .env file of this folder, or with --stack in the secret.',
    explained: [
      { word: 'list', does: 'names and fingerprints, never a key' },
      {
        word: 'set PROVIDER',
        does: 'reads the key from stdin, never from the command line; several keys: one per line',
      },
      { word: 'client add NAME', does: 'creates a key for a client and shows it once' },
      { word: 'remove …', does: 'the keys of a provider, or a client' },
    ],
    options: STACK_OPTIONS,
    notes: ['Clients in .env have fingerprints instead of names.'],
    names: ['list', 'set', 'client', 'remove'],
  },
  import: {
    name: 'import',
    words: '[litellm | openrouter | portkey] FILE',
    does: "Writes the configuration of another gateway as one of Backstop's, and lists what has no counterpart and what to do instead. Keys are never written into it: the list says which variables to set.",
    options: {
      out: {
        type: 'string',
        value: 'FILE',
        does: 'where to write (default gateway.json); - for stdout, with the list on stderr',
        names: 'file',
      },
      force: { type: 'boolean', does: 'replace the file if it exists' },
      env: {
        type: 'string',
        value: 'FILE',
        does: 'also add the keys that are known here (in the file, the environment, .env) to this .env file',
        names: 'file',
      },
      model: {
        type: 'string',
        value: 'NAME',
        does: 'the model that clients ask for, where a Portkey config does not say it',
      },
    },
    names: 'file',
  },
  completion: {
    name: 'completion',
    words: 'bash | zsh',
    does: 'Prints a script with which a shell completes the commands, their options, and the names of models, endpoints, providers and settings.',
    options: {},
    notes: ['In this folder: eval "$(npm run --silent completion -- bash)"'],
    names: ['bash', 'zsh'],
  },
  schema: {
    name: 'schema',
    does: 'Prints the JSON Schema of the configuration: npm run --silent schema > gateway.schema.json',
    options: {},
    notes: [
      'A gateway.json that begins with "$schema": "./gateway.schema.json" is then completed and checked by editors.',
    ],
  },
} as const satisfies Record<string, CommandRow>

/** The same without the type of each, for what goes through them all. */
export const COMMAND_ROWS: readonly CommandRow[] = Object.values(COMMANDS)
