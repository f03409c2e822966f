const ONLY_STREAMS =
  /\bonly (?:supports?|works? with|accepts?|available (?:in|with)) (?:the )?`?stream|stream\w*[`'"]? (?:is|must be|should be) (?:required|true|enabled|set to true)|\bnon-?stream/i

const NO_STREAM: readonly RegExp[] = [
  /(?:not|n't|cannot) (?:currently |yet )?support (?:the )?[`'"]?stream(?:ing|ed)?\b(?! ?[=:] ?false)(?!_)/i,
  /\bstream(?:ing|ed)?[`'"]?(?: (?:mode|responses?|requests?|output|parameter))? (?:is|are) (?:currently |not yet )?(?:unsupported|(?:not )?(?:currently |yet )?(?:supported|enabled|available|allowed|possible))/i,
  /\bmust be verified to stream\b|\b[`'"]?stream[`'"]? must be (?:set to )?false/i,
  /(?:not|n't) support (?:tool (?:use|calling)|tools|functions?(?: calling)?) (?:in|with|while|when) stream/i,
  /\b(?:tools?|functions?|audio|response_format|json mode|n > 1)\b[\w ]{0,40} (?:with|in|while|when) (?:using )?[`'"]?stream/i,
]
/** "Streaming is supported" is no refusal. */
const AFFIRMED = /\bstream\w*[`'"]? (?:is|are) (?:currently )?(?:supported|enabled|available|allowed)/i

/** What makes a refusal one of this request, and not of every stream. */
const UNDER_A_CONDITION =
  /\bstream\w*\b.{0,60}\b(?:with|when|while|for) (?:using )?(?:tools?|functions?|audio|json|response_format|n > 1|logprobs)|\b(?:tools?|functions?|audio|response_format|json mode)\b[\w ]{0,40} (?:with|in|while|when) (?:using )?[`'"]?stream/i

/** Whether a text refuses to stream, for ever or in this company: asked plainly, it may answer. */
export function refusesStream(text: string): boolean {
  if (ONLY_STREAMS.test(text)) return false
  return NO_STREAM.some(pattern => pattern.test(text)) && !AFFIRMED.test(text)
}

/** Whether it refuses every stream, so that the endpoint is asked plainly from now on. */
export function refusesEveryStream(text: string): boolean {
  return refusesStream(text) && !UNDER_A_CONDITION.test(text)
}

/** Whether a text speaks of streams at all, other than to demand one. */
export function mentionsStream(text: string): boolean {
  return /\bstream(?:ing|ed|s)?\b/i.test(text) && !ONLY_STREAMS.test(text)
}
