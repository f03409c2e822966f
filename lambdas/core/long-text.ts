/** In characters: to read or write so many takes milliseconds, in which no other request would go on. */
const LONG = 512 * 1024

/** Whether work on a text is to be divided, so that other requests go on in between. */
export const isLongText = (text: string): boolean => text.length > LONG
