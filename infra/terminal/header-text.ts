const ESCAPES = /(?:%[89A-F][\dA-F])+/g

function decoded(escapes: string): string {
  try {
    return decodeURIComponent(escapes)
  } catch {
    // A name that has a percent sign itself, or a header that was cut.
    return escapes
  }
}

/** A header's text as it was before the letters that no header may hold were percent-encoded. */
export const headerText = (value: string): string => value.replaceAll(ESCAPES, decoded)
