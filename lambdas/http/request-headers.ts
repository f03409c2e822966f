import type { LambdaFunctionURLEvent } from 'aws-lambda'

/** A header of the event, trimmed; undefined where it is missing or blank. Function URLs send lower-case names. */
export function headerOf(event: LambdaFunctionURLEvent, name: string): string | undefined {
  return event.headers[name]?.trim() || undefined
}
