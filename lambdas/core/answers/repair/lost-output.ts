/** A string of output that has begun: what was lost of it, or with it, is a hole in the answer. */
const BEGUN_TEXT =
  /"(?:content|text|reasoning|reasoning_content|thinking|refusal|arguments|input|data|transcript|url|delta|partial_json|signature|encrypted_content)"\s*:\s*"[^"]/

/** Tool calls are named, and not only to say that there are none. */
const NAMED_CALLS =
  /"(?:tool_calls|function_call)"(?!\s*:\s*(?:null|\[\s*\]))|"type"\s*:\s*"\w*(?:_use|_call)"/

/** Whether text that is no event held output: the answer without it would be a fragment. */
export const holdsLostOutput = (text: string): boolean => BEGUN_TEXT.test(text) || NAMED_CALLS.test(text)
