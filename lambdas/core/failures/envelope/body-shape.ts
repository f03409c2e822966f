import { isJsonObject } from '../../json.ts'
import { parseJson } from '../../parse-json.ts'

/** What the bytes of a body turned out to be. `documents` holds every JSON value found, in order. */
export type BodyShape = {
  readonly form: 'json' | 'ndjson' | 'events' | 'broken_json' | 'html' | 'text' | 'empty'
  readonly text: string
  readonly documents: readonly unknown[]
}

/** Enough for any real error, and a bound on what a hostile or mistaken body can cost. */
const INSPECTED_CHARACTERS = 65_536

/** Tells JSON, server-sent events, NDJSON, HTML and plain text apart by looking, since content types lie. */
export function readBodyShape(body: string | null): BodyShape {
  const text = (body ?? '')
    .slice(0, INSPECTED_CHARACTERS)
    .replace(/^\uFEFF/, '')
    .trim()
  // A value of JSON that says nothing is no text.
  if (text === '' || /^(?:null|true|false|"")$/.test(text)) return { form: 'empty', text: '', documents: [] }
  if (/^(?:data|event|id|retry)\s*:|^:/.test(text)) return readEvents(text)
  if (/^[[{"]/.test(text)) return readJson(text)
  if (/^<(?:!doctype|\?xml|html|head|body|center|h1)/i.test(text))
    return { form: 'html', text, documents: [] }
  return { form: 'text', text, documents: [] }
}

function readJson(text: string): BodyShape {
  const whole = parseJson(text)
  // A service that writes its words as JSON is no edge.
  if (typeof whole === 'string') return { form: 'json', text: whole, documents: [whole] }
  if (whole !== undefined) return { form: 'json', text, documents: [whole] }
  const lines = text.split('\n').map(parseJson).filter(isJsonObject)
  if (lines.length > 1) return { form: 'ndjson', text, documents: lines }
  return { form: 'broken_json', text, documents: [] }
}

function readEvents(text: string): BodyShape {
  const documents: unknown[] = []
  for (const event of text.split(/\r?\n\r?\n|\r\r/)) {
    const data = event
      .split(/\r\n|\n|\r/)
      .filter(line => line.startsWith('data:'))
      .map(line => line.slice('data:'.length).trim())
      .join('\n')
    if (data === '') continue
    const parsed = parseJson(data)
    if (parsed !== undefined) documents.push(parsed)
    // An event that is called an error is one, though its data is plain words.
    else if (/^event:\s*error\s*$/m.test(event)) documents.push({ error: data })
  }
  return { form: 'events', text, documents }
}

/** The words a person would read on an HTML page: its title, else its first heading. */
export function pageTitle(html: string): string {
  const found = /<title[^>]{0,200}>([^<]{1,300})/i.exec(html) ?? /<h1[^>]{0,200}>([^<]{1,300})/i.exec(html)
  return found?.[1]?.replace(/\s+/g, ' ').trim() ?? 'HTML page'
}

/** The page as a reader sees it, as far as an error code may stand. */
export function pageText(html: string): string {
  return html
    .slice(0, 20_000)
    .replace(/<[^>]{0,500}>/g, ' ')
    .replace(/\s+/g, ' ')
    .slice(0, 4_000)
}
