import { distance } from 'fastest-levenshtein'

/** The candidate that a mistyped name most likely meant; null where none is near enough to be worth a hint. */
export function closestName(name: string, candidates: readonly string[]): string | null {
  const [nearest] = candidates
    .map(candidate => ({ candidate, edits: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)
  const tolerated = Math.max(2, Math.floor(name.length / 3))
  return nearest && nearest.edits <= tolerated ? nearest.candidate : null
}

/** ` Did you mean "x"?`, or nothing: to be put after a sentence. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const closest = closestName(name, candidates)
  return closest === null ? '' : ` Did you mean "${closest}"?`
}
