/** Who sent a request, by name: from authentication to the log line. Never a key. */
export type Caller = { name: string }
