/** The value below which this share of the sample lies. */
export function percentile(sample: readonly number[], share: number): number {
  const sorted = sample.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
