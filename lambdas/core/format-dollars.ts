/** Dollars in plain decimals, never in exponents: `0.00000042`, `1.5`, `0`. */
export const formatDollars = (dollars: number): string => dollars.toFixed(10).replace(/\.?0+$/, '')
