/** Why spans did not reach a collector. */
export type ExportFailure = {
  /** Null where none came. */
  status: number | null
  /** Of the network. */
  code: string | null
  /** As the collector has it, in seconds. */
  retryAfter?: string | undefined
  /** It took the request, and so many spans it did not. */
  rejected?: number
}

/** What to do about an export that failed: what is not told by the status alone. */
function adviceFor({ status, rejected }: ExportFailure): string {
  if (rejected !== undefined) return 'Its log tells why.'
  switch (status) {
    case 401:
    case 403:
      return 'Check the key in OTEL_EXPORTER_OTLP_HEADERS.'
    case 404:
    case 405:
      return 'OTEL_EXPORTER_OTLP_ENDPOINT is an address to which /v1/traces is added; OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is called as it is.'
    case 400:
    case 415:
      return 'It has to take OTLP over HTTP in JSON.'
    case null:
      return 'It has to listen there, and speak OTLP over HTTP (port 4318 by custom; 4317 is gRPC).'
    default:
      return 'Spans are kept and sent later.'
  }
}

/** For people; without whatever the address may hold of a key. */
export function describeExportFailure(url: string, failure: ExportFailure): string {
  const { status, code, rejected } = failure
  const { origin, pathname } = new URL(url)
  const what = rejected === undefined ? `answered ${status ?? code}` : `did not take ${rejected} of the spans`
  const said = status === null ? `cannot be reached (${code})` : what
  return `The OpenTelemetry collector at ${origin}${pathname} ${said}. ${adviceFor(failure)} This is told once, until it works again.`
}
