export type Entries = readonly (readonly [string, unknown])[]

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A field of a value of unknown shape; undefined where there is none. */
export const field = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined

/** The fields of a value of unknown shape; none where it is no object. */
export const entriesOf = (value: unknown): Entries => (isObject(value) ? Object.entries(value) : [])

/** Whether a name may stand in a header or a log line. */
export const isPlainName = (name: string): boolean =>
  // eslint-disable-next-line no-control-regex -- these are what must not stand there
  name.trim() !== '' && name === name.trim() && !/[\u0000-\u001f\u007f]/.test(name)

export const PLAIN_NAME = 'expected a name without control characters and without spaces around it'
