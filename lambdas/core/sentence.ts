/** Upstreams end their sentences with a stop or without one; what follows must not run into them. */
export const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)
