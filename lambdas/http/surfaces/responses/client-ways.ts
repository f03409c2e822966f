/** How a client differs from what the Responses API promises; told by its user agent. */
export type ClientWays = {
  /** It shows no refusal part, takes a content filter for a passing fault, and repeats a 5xx thirty times. */
  isCodex: boolean
  /** It takes a fragment for an answer unless its socket is cut. */
  swallowsFailures: boolean
  /** It refers to messages by their ids instead of sending them again. */
  refersToItems: boolean
}

/** @param userAgent as the client sent it */
export function clientWaysOf(userAgent: string): ClientWays {
  return {
    isCodex: /^codex/i.test(userAgent),
    swallowsFailures: /^langchain/i.test(userAgent),
    refersToItems: /\bai-sdk\/openai\//i.test(userAgent),
  }
}
