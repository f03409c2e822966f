import { ConfigError } from '../../lambdas/config/config-error.ts'
import { parseGatewayConfig, type GatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { CommandError } from '../terminal/command-error.ts'
import { assemble } from './assemble.ts'
import type { Draft, NeededKey } from './draft.ts'
import { importOpenrouter } from './import-openrouter.ts'
import { importLitellm } from './litellm/import-litellm.ts'
import { noteLines } from './note-lines.ts'
import { importPortkey } from './portkey/import-portkey.ts'
import { fieldAt, type Variables } from './read-values.ts'
import type { SourceName } from './recognise-source.ts'
import { createReport, type Note, type Report } from './report.ts'

export type Imported = {
  config: GatewayConfig
  keys: readonly NeededKey[]
  notes: readonly Note[]
}

export type ImportOptions = {
  /** Where `os.environ/NAME` is looked up. */
  variables: Variables
  /** The name that clients send, where the source does not say it. */
  model?: string | undefined
  /** Notes of whoever read the file. */
  notes?: readonly Note[]
}

function draftOf(
  source: SourceName,
  document: unknown,
  { variables, model }: ImportOptions,
  report: Report,
): Draft {
  if (source === 'litellm') return importLitellm(document, variables, report)
  if (source === 'portkey') return importPortkey(document, { model, variables, report })
  return importOpenrouter(document, report)
}

/**
 * The configuration of another gateway as one of Backstop's, and what has no counterpart.
 * @throws CommandError where nothing of it can be called.
 */
export function importSource(source: SourceName, document: unknown, options: ImportOptions): Imported {
  if (source === 'litellm' && fieldAt(document, 'model_list') === undefined)
    throw new CommandError('The file has no model_list, so that it is not a configuration of LiteLLM.')
  const report = createReport()
  const { config, keys } = assemble(draftOf(source, document, options, report), report)
  const notes = [...(options.notes ?? []), ...report.notes()]
  const { models, settings } = config as GatewayConfig
  if (Object.keys(models).length === 0 && settings?.direct_models !== true) {
    throw new CommandError(
      ['Nothing was imported: the file has no model that can be called.', ...noteLines(notes)].join('\n'),
    )
  }
  return { config: validated(config), keys, notes }
}

function validated(config: unknown): GatewayConfig {
  try {
    return parseGatewayConfig(config)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new CommandError(
      `The import wrote what the gateway refuses, which is a fault of the importer. ${error.message}`,
      {
        cause: error,
      },
    )
  }
}
