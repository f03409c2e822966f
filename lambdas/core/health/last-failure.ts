import { KINDS, type FailureKind } from '../failures/kinds.ts'
import { storedWords } from '../failures/stored-words.ts'
import type { Failure } from '../failures/failure.ts'
import type { LastFailure } from './health.ts'

const MOST_CHARACTERS = 120
const FORM = /^(\w+) (\d+|-) (\d+) (.*)$/s

const isKind = (word: string): word is FailureKind => Object.hasOwn(KINDS, word)

/** A failure as it is kept beside an endpoint's counters: kind, status, instant and the first of its words. */
export function writeLastFailure(
  failure: Pick<Failure, 'kind' | 'status' | 'message' | 'stored'>,
  at: number,
): string {
  const words = [...(storedWords(failure) ?? '')].slice(0, MOST_CHARACTERS).join('').toWellFormed()
  const { kind, status } = failure
  return `${kind} ${status ?? '-'} ${at} ${words}`
}

/** Null where it makes no sense. */
export function readLastFailure(text: string | null): LastFailure | null {
  const [, kind = '', status, at, message = ''] = FORM.exec(text ?? '') ?? []
  if (!isKind(kind)) return null
  return { kind, status: status === '-' ? null : Number(status), message, at: Number(at) }
}
