import { isJsonObject, type Json, type JsonObject } from '../json.ts'

/** Where in a JSON value another one stands. */
export type Path = readonly (string | number)[]

/**
 * An event of a stream without what differs in the next one, as a few texts that a parser need not look at again: nearly
 * all events of an answer repeat one another but for a piece of text.
 */
export type EventTemplate = {
  /**
   * The text at the first path of an event that was learnt from, as another one writes it that is like it otherwise: with
   * its escapes, and without its quotes.
   */
  read(data: string): string | null
  /** How much of such an event is not the same in all of them, in characters. */
  varying(data: string): number
  /**
   * Learns from an event now and then, at the cost of parsing three.
   * @param pathsOf where its texts and counts may differ, the text first; null where there is nothing to learn
   * @returns whether it has learnt from this one
   */
  learn(json: JsonObject, data: string, pathsOf: () => readonly Path[] | null): boolean
}

/** What differs: a text without its quotes, or a count; and what stands behind it. */
type Gap = { isText: boolean; isFirst: boolean; after: string }
type Template = { before: string; gaps: readonly Gap[]; fixed: number }
type Place = { path: Path; value: string | number; at: number; length: number }

/** Longer events are few, and are measured before they are parsed. */
const MOST_CHARACTERS = 512
const FIRST_AFTER = 2
const AGAIN_AFTER = 6
/** What does not mean itself inside a JSON string. */
// oxlint-disable-next-line no-control-regex -- JSON allows none of them inside a string
const ODD = /["\\\u0000-\u001f]/
/** The rest of a JSON string. */
// oxlint-disable-next-line no-control-regex -- as above
const REST = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*(?=")/y
const COUNT = /(?:0|[1-9]\d{0,14})(?!\d)/y
const PROBE = 'another text'
const PROBE_COUNT = 987_654_321_000

function valueAt(json: Json | undefined, path: Path): Json | undefined {
  let value: Json | undefined = json
  for (const step of path) {
    if (Array.isArray(value)) value = value[Number(step)]
    else value = isJsonObject(value) ? value[step] : undefined
  }
  return value
}

function withValue(json: Json | undefined, path: Path, value: Json): Json {
  const [step, ...rest] = path
  if (step === undefined) return value
  if (Array.isArray(json)) return json.with(Number(step), withValue(json[Number(step)], rest, value))
  return isJsonObject(json) ? { ...json, [step]: withValue(json[step], rest, value) } : value
}

const canDiffer = (value: Json | undefined): value is string | number =>
  typeof value === 'string' ? !ODD.test(value) : Number.isSafeInteger(value) && Number(value) >= 0

/** The last place where the text writes this name and value. */
function findPlace(json: JsonObject, data: string, path: Path): Place | null {
  const value = valueAt(json, path)
  if (!canDiffer(value)) return null
  const quotes = typeof value === 'string' ? 1 : 0
  const written = JSON.stringify(value)
  for (let at = data.lastIndexOf(written); at > 0; at = data.lastIndexOf(written, at - 1)) {
    const before = data.slice(0, at).trimEnd()
    if (
      before.endsWith(':') &&
      before
        .slice(0, -1)
        .trimEnd()
        .endsWith(`"${path.at(-1)}"`)
    ) {
      return { path, value, at: at + quotes, length: written.length - 2 * quotes }
    }
  }
  return null
}

function placesOf(json: JsonObject, data: string, paths: readonly Path[]): Place[] | null {
  const places = paths.map(path => findPlace(json, data, path)).filter(place => place !== null)
  return places.length === paths.length ? places.toSorted((one, other) => one.at - other.at) : null
}

/** Nothing but these values may hang on their characters: not a name, nor another value like one of them. */
function isProven(json: JsonObject, data: string, places: readonly Place[]): boolean {
  // An event that holds these words already would prove nothing by them.
  if (data.includes(PROBE) || data.includes(String(PROBE_COUNT))) return false
  let probed = ''
  let expected: Json = json
  let from = 0
  for (const [place, { path, value, at, length }] of places.entries()) {
    const probe = typeof value === 'string' ? `${PROBE} ${place}` : PROBE_COUNT + place
    probed += `${data.slice(from, at)}${probe}`
    expected = withValue(expected, path, probe)
    from = at + length
  }
  probed += data.slice(from)
  return JSON.stringify(JSON.parse(probed)) === JSON.stringify(expected)
}

function templateOf(json: JsonObject, data: string, paths: readonly Path[]): Template | null {
  const places = placesOf(json, data, paths)
  const [first] = places ?? []
  if (!places || !first || !isProven(json, data, places)) return null
  const gaps = places.map(({ path, value, at, length }, place) => ({
    isText: typeof value === 'string',
    isFirst: path === paths[0],
    after: data.slice(at + length, places[place + 1]?.at),
  }))
  const fixed = data.length - places.reduce((sum, { length }) => sum + length, 0)
  return { before: data.slice(0, first.at), gaps, fixed }
}

/** Where what matches a sticky pattern ends that begins there; -1 = nothing does. */
function endOf(pattern: RegExp, data: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(data) ? pattern.lastIndex : -1
}

/** Most texts mean themselves. */
function textEnd(data: string, at: number): number {
  const quote = data.indexOf('"', at)
  return quote >= 0 && ODD.test(data.slice(at, quote)) ? endOf(REST, data, at) : quote
}

function readGaps({ before, gaps }: Template, data: string): string | null {
  // V8 compares two texts in a fraction of the time that its `startsWith` takes.
  if (data.slice(0, before.length) !== before) return null
  let at = before.length
  let first = ''
  for (const { isText, isFirst, after } of gaps) {
    const end = isText ? textEnd(data, at) : endOf(COUNT, data, at)
    if (end < 0 || !data.startsWith(after, end)) return null
    if (isFirst && isText) first = data.slice(at, end)
    at = end + after.length
  }
  return at === data.length ? first : null
}

/** Learns less and less often from events that are never alike. */
export function createEventTemplate(): EventTemplate {
  let template: Template | null = null
  let untilLearning = FIRST_AFTER
  let pause = AGAIN_AFTER

  return {
    read(data) {
      const text = template === null || data.length > MOST_CHARACTERS ? null : readGaps(template, data)
      // An empty text is no output.
      if (text === null || text === '') return null
      pause = AGAIN_AFTER
      return text
    },
    varying: data => data.length - (template?.fixed ?? 0),
    learn(json, data, pathsOf) {
      untilLearning -= 1
      if (untilLearning > 0 || data.length > MOST_CHARACTERS) return false
      untilLearning = pause
      pause *= 2
      const paths = pathsOf()
      const learnt = paths && templateOf(json, data, paths)
      template = learnt ?? template
      return learnt !== null
    },
  }
}
