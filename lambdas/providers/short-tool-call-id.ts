const LENGTH = 9
const OWN_FORM = /^[a-z0-9]{9}$/i
const PRIME = 0x01_00_01_93

/** FNV-1a: the same text always gives the same number, in this instance and in every other. */
function hash(text: string, seed: number): number {
  let value = seed
  for (let place = 0; place < text.length; place += 1) {
    value = Math.imul(value ^ text.charCodeAt(place), PRIME) >>> 0
  }
  return value
}

/**
 * An id of nine letters and digits for a tool call that has another: Mistral takes no other form. A call and its
 * result find each other again, because the same id always becomes the same.
 */
export function shortToolCallId(id: string): string {
  if (OWN_FORM.test(id)) return id
  const digits = [0x81_1c_9d_c5, 0x1b_87_35_93].map(seed => hash(id, seed).toString(36).padStart(7, '0'))
  return digits
    .map((part, index) => part.slice(index === 0 ? -5 : -4))
    .join('')
    .slice(0, LENGTH)
}
