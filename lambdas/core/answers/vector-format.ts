import type { Json } from '../json.ts'

/** Numbers, or the bytes of little-endian 32-bit floats in base64. */
export type VectorFormat = 'float' | 'base64'

const BYTES = 4
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

const bytesOf = (text: string): DataView => {
  const { buffer, byteOffset, byteLength } = Buffer.from(text, 'base64')
  return new DataView(buffer, byteOffset, byteLength)
}

/** How many numbers a vector holds, in either format; null where it is none, or empty. */
export function vectorLength(vector: Json | undefined): number | null {
  if (Array.isArray(vector)) {
    return vector.length > 0 && vector.every(value => typeof value === 'number') ? vector.length : null
  }
  if (typeof vector !== 'string' || !BASE64.test(vector)) return null
  const { byteLength } = bytesOf(vector)
  return byteLength > 0 && byteLength % BYTES === 0 ? byteLength / BYTES : null
}

function encode(numbers: readonly Json[]): string {
  const bytes = Buffer.alloc(numbers.length * BYTES)
  for (const [place, value] of numbers.entries()) bytes.writeFloatLE(Number(value), place * BYTES)
  return bytes.toString('base64')
}

function decode(text: string): number[] {
  const bytes = bytesOf(text)
  return Array.from({ length: bytes.byteLength / BYTES }, (_, place) => bytes.getFloat32(place * BYTES, true))
}

/** A vector in this format; untouched where it has it already. */
export function withFormat(vector: Json | undefined, format: VectorFormat): Json | undefined {
  if (format === 'base64') return Array.isArray(vector) ? encode(vector) : vector
  return typeof vector === 'string' ? decode(vector) : vector
}
