/** How long a call took: `312 ms`. */
export const formatDuration = (ms: number): string => `${Math.round(ms)} ms`
