const FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** A day as pages write it: `2026-11-30` → `30 November 2026`. */
export const longDate = (date: string): string => FORMAT.format(new Date(`${date}T00:00:00Z`))
