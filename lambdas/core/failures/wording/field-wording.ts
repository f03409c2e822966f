/** Phrases by which a field, a value or a role of the request is refused that others take. */
const STRICT: readonly RegExp[] = [
  /\b(?:property|parameter|field|argument|key|option|attribute|input|role)s?\b.{0,80}\b(?:is|are) (?:currently )?(?:unsupported|not supported|not permitted|not allowed|not a valid field|unknown|unrecognized|forbidden)/i,
  /\b(?:unknown|unrecognized|unsupported|unexpected|extraneous) (?:request )?(?:parameter|argument|field|name|property|key|value|role|input)/i,
  /(?:not|n't) support (?:the )?(?:parameters?|field|response[ _]format|json|tool_choice|this tool_choice|temperature|top_p|logprobs|stop|n\b|seed|system|developer|assistant message prefill|thinking|reasoning|streaming|\d)/i,
  /argument not supported on|extra (?:inputs|fields) (?:are )?not permitted|additional properties are not allowed|cannot find field|is not one of \[/i,
  /\b(?:system|developer) (?:role|instruction|message)s? (?:is |are )?not (?:supported|enabled|allowed)/i,
  /max_(?:completion_|output_)?tokens[`'"]?.{0,30}(?:must be|is too large|too high|exceeds|valid range|should be|at most)|range of max_tokens|max_tokens: \d+ > \d+|maximum (?:allowed )?(?:number of )?output tokens|maximum tokens you requested/i,
  /[`'"](?:temperature|top_p|top_k|n|seed|stop|logprobs|top_logprobs|presence_penalty|frequency_penalty|max_tokens)[`'"]? (?:must|should|cannot)/i,
  /thought_signature|must be passed back to the API|reasoning_content.{0,60}(?:unsupported|not supported|not allowed)/i,
  /[`'"]?\b(?:tool_choice|response_format|parallel_tool_calls|temperature|top_[pk]|logprobs|logit_bias|seed|stop|stream_options|reasoning_effort|thinking|json mode|structured outputs?)[`'"]? (?:is|are) (?:unsupported|not (?:currently )?(?:supported|enabled|available))/i,
  /(?:is|are) not enabled for (?:this model|models?\/)|this model only (?:works|supports?|accepts?)|\bparameter[.\w]{0,60} (?:must|should) be\b|no endpoints found that (?:support|can handle)/i,
  /(?:temperature|top_p)\b.{0,30}cannot both be specified|only the default \(\d|default value is supported/i,
  /only supports? (?:single tool-calls|stream)|stream(?:ing)? (?:must be|is required)|mixed values for/i,
  /must contain the word .{0,2}json|response_format.{0,40}(?:unavailable|not available|not allowed)|provided 'tool_choice' value/i,
  // What another provider's turn looks like in the history.
  /tool call id was .{1,80} but must be|reasoning_content is missing|must have either content or tool_calls, but not both/i,
  /GenerateContentRequest\.|reasoning is mandatory|thinking cannot be disabled|assistant message prefill/i,
  /不支持(?:该|此)?(?:参数|字段)|参数.{0,10}(?:不支持|不合法)/,
]

const LOOSE =
  /\b(?:not supported|unsupported|(?:does not|doesn't|do not|don't) support|is not allowed here|not permitted)\b/i

/** Whether a text refuses a named field, value or role. */
export function refusesField(text: string): boolean {
  return STRICT.some(pattern => pattern.test(text))
}

/** Whether a text refuses something that it does not name clearly: asked only after everything better. */
export function refusesSomething(text: string): boolean {
  return LOOSE.test(text)
}
