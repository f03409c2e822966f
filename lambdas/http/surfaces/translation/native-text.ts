const BLANK_LINE = /(?:\n\n|\r\r|\r\n\r\n)$/

/** What ends the last event that was passed on as it came, where it has no blank line of its own: clients forget it otherwise. */
export const closingOf = (last: string): string => (last === '' || BLANK_LINE.test(last) ? '' : '\n\n')
