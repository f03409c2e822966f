import { formatSpan } from '../core/format-span.ts'

/** How long ago an instant was. */
export const ago = (at: number, now: number): string =>
  now - at < 1_000 ? 'just now' : `${formatSpan(now - at)} ago`

/** How long until an instant. */
export const until = (at: number, now: number): string =>
  at <= now ? 'due now' : `in ${formatSpan(at - now)}`
