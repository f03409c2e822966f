import { describe, expect, it, test } from 'vitest'
import { importsOf, sourceFiles, sourceOf, type Import, type SourceFile } from './support/source-files.ts'

/** What files of one folder may import, beside their own folder. */
type Row = {
  /** Both columns of the table, as it is written. */
  folder: string
  may: string
  files: RegExp
  /** Paths from the root, or their beginnings. */
  from?: readonly (string | RegExp)[]
  /** The same, for what leaves nothing behind at run time. */
  types?: readonly string[]
  libraries?: RegExp
  /** The one file that may use the AWS SDK. */
  awsSdkIn?: RegExp
}

const ANYTHING = ['lambdas/', 'infra/']
const ANY_LIBRARY = /./
const NODE = /^node:/

/** What every part of core may use: the files that stand in core itself. */
const CORE_FILES = /^lambdas\/core\/[\w.-]+\.ts$/

/** "Imports go one way" */
const TABLE: readonly Row[] = [
  {
    folder: '*.lambda.ts, compose/',
    may: 'everything below: the composition roots',
    files: /^lambdas\/(?:[\w-]+\.lambda\.ts$|compose\/)/,
    from: ANYTHING,
    libraries: ANY_LIBRARY,
  },
  {
    folder: 'http/',
    may: 'core, contract, the format of events; engine types, config types, key types',
    files: /^lambdas\/http\//,
    from: ['lambdas/core/', 'lambdas/contract.ts', 'lambdas/sse/format-event.ts'],
    types: ['lambdas/engine/', 'lambdas/config/', 'lambdas/keys/', 'lambdas/platform/'],
    libraries: /^(?:node:|@middy\/core$|zod\/mini$|aws-lambda$)/,
  },
  {
    folder: 'engine/',
    may: "core, providers, wires, sse, the store's port, platform types",
    files: /^lambdas\/engine\//,
    from: ['lambdas/core/', 'lambdas/providers/', 'lambdas/wires/', 'lambdas/sse/'],
    types: ['lambdas/store/', 'lambdas/platform/'],
    libraries: NODE,
  },
  {
    folder: 'wires/',
    may: 'core, sse, providers',
    files: /^lambdas\/wires\//,
    from: ['lambdas/core/', 'lambdas/sse/', 'lambdas/providers/'],
    libraries: NODE,
  },
  {
    folder: 'providers/',
    may: "core, sse; the AWS SDK's signature in the signer only",
    files: /^lambdas\/providers\//,
    from: ['lambdas/core/', 'lambdas/sse/'],
    libraries: NODE,
    awsSdkIn: /sign-aws-call/,
  },
  {
    folder: 'sse/',
    may: 'nothing of this project',
    files: /^lambdas\/sse\//,
    libraries: NODE,
  },
  {
    folder: 'store/',
    may: 'core, contract; the AWS SDK in the DynamoDB adapter only',
    files: /^lambdas\/store\//,
    from: ['lambdas/core/', 'lambdas/contract.ts'],
    libraries: /^(?:node:|zod\/mini$)/,
    awsSdkIn: /dynamo/,
  },
  {
    folder: 'config/, keys/',
    may: 'core types, providers/catalog, contract; the AWS SDK in the secret reader only',
    files: /^lambdas\/(?:config|keys)\//,
    from: [
      'lambdas/core/',
      'lambdas/providers/catalog.ts',
      'lambdas/contract.ts',
      'lambdas/config/',
      'lambdas/keys/',
    ],
    libraries: /^(?:node:|zod\/mini$|fastest-levenshtein$)/,
    awsSdkIn: /secret-reader/,
  },
  {
    folder: 'platform/',
    may: 'contract, core types',
    files: /^lambdas\/platform\//,
    from: ['lambdas/contract.ts'],
    types: ['lambdas/core/'],
    libraries: /^(?:node:|aws-lambda$)/,
  },
  {
    folder: 'core/, but for routing/',
    may: 'core, contract; no routing',
    files:
      /^lambdas\/core\/(?:[\w.-]+\.ts$|(?:settings|tokens|answers|failures|health|order|quota|refusals|callers)\/)/,
    from: [
      CORE_FILES,
      'lambdas/core/settings/',
      'lambdas/core/tokens/',
      'lambdas/core/answers/',
      'lambdas/core/failures/',
      'lambdas/core/health/',
      'lambdas/core/refusals/',
      'lambdas/core/callers/',
      'lambdas/core/order/',
      'lambdas/core/quota/',
      'lambdas/contract.ts',
    ],
  },
  {
    folder: 'core/routing/, core/tracing/',
    may: 'core, contract',
    files: /^lambdas\/core\/(?:routing|tracing)\//,
    from: ['lambdas/core/', 'lambdas/contract.ts'],
  },
  {
    folder: 'widget/',
    may: 'core, engine types',
    files: /^lambdas\/widget\//,
    from: ['lambdas/core/'],
    types: ['lambdas/engine/'],
  },
  { folder: 'contract.ts', may: 'nothing', files: /^lambdas\/contract\.ts$/ },
  {
    folder: 'infra/constructs, infra/*.ts',
    may: 'contract, the configuration schema, aws-cdk-lib, the bundler',
    files:
      /^infra\/(?:constructs\/(?:dashboard\/)?[\w.-]+|app|backstop|backstop-edge|gateway-stack|gateway\.config)\.ts$/,
    from: [
      'infra/constructs/',
      'infra/backstop.ts',
      'infra/backstop-edge.ts',
      'infra/gateway-stack.ts',
      'infra/gateway.config.ts',
      'lambdas/contract.ts',
      'lambdas/config/config-warnings.ts',
      'lambdas/config/gateway-config.ts',
      'lambdas/config/schema/alarm-thresholds.ts',
      'lambdas/config/bedrock-models.ts',
      'lambdas/config/tiers-of.ts',
    ],
    libraries: /^(?:node:|aws-cdk-lib(?:\/|$)|constructs$|esbuild$)/,
  },
  {
    folder: 'infra/terminal',
    may: 'nothing of the project',
    files: /^infra\/terminal\//,
    libraries: NODE,
  },
  {
    folder: 'infra/explain',
    may: 'core, terminal, local-contract',
    files: /^infra\/explain\//,
    from: ['lambdas/core/', 'infra/terminal/', 'infra/local-contract.ts', 'infra/request-contract.ts'],
  },
  {
    folder: 'infra/*-contract.ts',
    may: "core, the store's schemas",
    files: /^infra\/(?:local|request|endpoints)-contract\.ts$/,
    from: ['lambdas/core/', 'lambdas/store/item-codec.ts', 'infra/local-contract.ts'],
    libraries: /^zod\/mini$/,
  },
  {
    folder: 'infra/import',
    may: 'core, config, the catalogue, terminal; parsers of JSON and YAML',
    files: /^infra\/import\//,
    from: ['lambdas/core/', 'lambdas/config/', 'lambdas/providers/catalog.ts', 'infra/terminal/'],
    libraries: /^(?:node:|jsonc-parser$|yaml$)/,
  },
  {
    folder: 'infra/page/browser',
    may: 'itself; of the project what runs in a browser too, and types of the page',
    files: /^infra\/page\/browser\//,
    from: [
      'infra/page/browser/',
      'lambdas/core/format-dollars.ts',
      'lambdas/core/format-span.ts',
      'lambdas/core/routing/view/hop-words.ts',
      'infra/terminal/header-text.ts',
    ],
    types: ['infra/page/page-contract.ts', 'infra/endpoints-contract.ts'],
  },
  {
    folder: 'infra/page',
    may: 'everything in lambdas, explain, page, terminal, the contracts; neither local nor operate',
    files: /^infra\/page\/(?!browser\/)/,
    from: ['lambdas/', 'infra/explain/', 'infra/terminal/', /^infra\/[\w-]+-contract\.ts$/],
    libraries: NODE,
  },
  {
    folder: 'infra/local',
    may: 'everything in lambdas, explain, page, terminal, import, the contracts',
    files: /^infra\/local\//,
    from: [
      'lambdas/',
      'infra/local/',
      'infra/explain/',
      'infra/page/',
      'infra/import/',
      'infra/terminal/',
      'infra/local-contract.ts',
      'infra/request-contract.ts',
      'infra/endpoints-contract.ts',
      'infra/gateway.config.ts',
    ],
    libraries: ANY_LIBRARY,
  },
  {
    folder: 'infra/operate',
    may: 'everything in lambdas, explain, page, terminal, import, the contracts',
    files: /^infra\/operate\//,
    from: [
      'lambdas/',
      'infra/operate/',
      'infra/explain/',
      'infra/page/',
      'infra/import/',
      'infra/terminal/',
      'infra/local-contract.ts',
      'infra/request-contract.ts',
      'infra/endpoints-contract.ts',
      'infra/gateway.config.ts',
    ],
    libraries: ANY_LIBRARY,
  },
]

/** A folder of `lambdas` or `infra`, with all that stands below it; in core and the page, a sub-folder. */
const roomOf = (path: string): string =>
  path
    .split('/')
    .slice(0, /^(?:lambdas\/core|infra\/page\/browser)\//.test(path) ? 3 : 2)
    .join('/')

function isAllowed(row: Row, path: string, { target, isLibrary, typeOnly }: Import): boolean {
  // Where a computed import leads nobody can tell.
  if (target === null) return row.libraries === ANY_LIBRARY
  if (isLibrary) {
    if (/^@(?:aws-sdk|smithy)\//.test(target) && row.awsSdkIn) return row.awsSdkIn.test(path)
    return row.libraries?.test(target) ?? false
  }
  const isOwn = roomOf(target) === roomOf(path)
  const places = [...(row.from ?? []), ...(typeOnly ? (row.types ?? []) : [])]
  return (
    isOwn || places.some(place => (typeof place === 'string' ? target.startsWith(place) : place.test(target)))
  )
}

const breachesOf = (row: Row, file: SourceFile): string[] =>
  importsOf(file)
    .filter(found => !isAllowed(row, file.path, found))
    .map(
      ({ target }) =>
        `${file.path} imports ${target ?? 'something computed'}; the table says: | ${row.folder} | ${row.may} |`,
    )

const lambdas = sourceFiles('lambdas')
const everything = [...lambdas, ...sourceFiles('infra')]

describe('imports go one way', () => {
  test.each(TABLE)('$folder may import: $may', row => {
    const files = everything.filter(({ path }) => row.files.test(path))
    expect(files.flatMap(file => breachesOf(row, file))).toEqual([])
  })

  it('every file has one row in the table', () => {
    const rowsOf = ({ path }: SourceFile): number => TABLE.filter(({ files }) => files.test(path)).length
    expect(everything.filter(file => rowsOf(file) !== 1).map(({ path }) => path)).toEqual([])
  })
})

it('no API of clients imports from another one: what several need is shared', () => {
  const folderOf = (path: string): string | null =>
    /^lambdas\/http\/surfaces\/(\w+)\//.exec(path)?.[1] ?? null
  const isForeign = (path: string, target: string | null): boolean => {
    const folder = target === null ? null : folderOf(target)
    return folder !== null && folder !== 'translation' && folder !== folderOf(path)
  }
  const inFolders = lambdas.filter(({ path }) => folderOf(path) !== null)
  expect(inFolders.length).toBeGreaterThan(20)
  const foreign = inFolders.filter(file => importsOf(file).some(({ target }) => isForeign(file.path, target)))
  expect(foreign.map(({ path }) => path)).toEqual([])
})

describe('one file alone', () => {
  const rows: [string, RegExp, string][] = [
    ['reads the environment', /\bprocess\W{1,4}env\b|node:process/, 'lambdas/config/environment.ts'],
    [
      'reads the clock',
      /\bDate\W{1,4}now\b|\bnew Date(?!\s*\(\s*[^\s)])|(?<!new )\bDate\(|\bperformance\b|\bhrtime\b/,
      'lambdas/platform/clock.ts',
    ],
    [
      'throws dice',
      /\bMath\.random\b|\brandom(?:UUID|Bytes|Int)\b|\bgetRandomValues\b/,
      'lambdas/platform/clock.ts',
    ],
    ['knows the awslambda global', /\bawslambda\b/, 'lambdas/platform/lambda-stream.ts'],
  ]
  test.each(rows)('%s', (_, pattern, owner) => {
    expect(lambdas.filter(({ code }) => pattern.test(code)).map(({ path }) => path)).toEqual([owner])
  })
})

it('core touches nothing outside of itself', () => {
  const outside =
    /\b(?:setTimeout|setInterval|setImmediate|fetch)\s*\(|\bconsole\.|\bprocess\.|\bglobalThis\b/
  const core = lambdas.filter(({ path }) => path.startsWith('lambdas/core/'))
  expect(core.filter(({ code }) => outside.test(code)).map(({ path }) => path)).toEqual([])
})

describe('a file', () => {
  const pathsWhere = (isWrong: (file: SourceFile) => boolean): string[] =>
    everything.filter(isWrong).map(({ path }) => path)

  it('has at most 250 lines', () => {
    expect(pathsWhere(({ text }) => text.trimEnd().split('\n').length > 250)).toEqual([])
  })

  it('is no barrel, and exports nothing of another file', () => {
    expect(
      pathsWhere(
        ({ path, code }) => path.endsWith('/index.ts') || /^export (?:\*|\{[^}]*\} from)/m.test(code),
      ),
    ).toEqual([])
  })

  it('has a default export only where a user edits it', () => {
    expect(pathsWhere(({ code }) => /^export default\b|\bas default\b/m.test(code))).toEqual([
      'infra/gateway.config.ts',
    ])
  })
})

it('a folder has at most 22 files', () => {
  const files = new Map<string, number>()
  for (const { path } of [...everything, ...sourceFiles('test')]) {
    const folder = path.slice(0, path.lastIndexOf('/'))
    files.set(folder, (files.get(folder) ?? 0) + 1)
  }
  expect([...files].filter(([, count]) => count > 22)).toEqual([])
})

describe('this check', () => {
  const rowOf = (folder: string): Row => TABLE.find(row => row.folder === folder) ?? expect.fail(folder)
  const breaches = (folder: string, code: string): string[] =>
    breachesOf(rowOf(folder), sourceOf(`lambdas/${folder.replace(/,.*/, '')}file.ts`, code))

  it('quotes the row of the table', () => {
    expect(breaches('http/', "import { a } from '../engine/a.ts'")).toEqual([
      'lambdas/http/file.ts imports lambdas/engine/a.ts; the table says: ' +
        '| http/ | core, contract, the format of events; engine types, config types, key types |',
    ])
  })

  it('tells types from values', () => {
    expect(breaches('engine/', "import type { Clock } from '../platform/clock.ts'")).toEqual([])
    expect(breaches('engine/', "import { systemClock } from '../platform/clock.ts'")).toHaveLength(1)
  })

  it('keeps core from libraries, from built-in modules and from what is computed', () => {
    const code = "import 'zod'\nimport { join } from 'node:path'\nconst a = await import(name)"
    expect(breaches('core/, but for routing/', code)).toHaveLength(3)
  })

  it('lets the AWS SDK into its one file only', () => {
    const code = "import { DynamoDBClient } from '@aws-sdk/client-dynamodb'"
    const store = rowOf('store/')
    expect(breachesOf(store, sourceOf('lambdas/store/dynamo-store.ts', code))).toEqual([])
    expect(breachesOf(store, sourceOf('lambdas/store/snapshot-cache.ts', code))).toHaveLength(1)
    expect(breaches('core/, but for routing/', code)).toHaveLength(1)
  })
})
