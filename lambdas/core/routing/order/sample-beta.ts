/** A source of chance: numbers in [0, 1). */
export type Random = () => number

/** A draw is refused less than once in twenty: a source that always says the same must not keep us here. */
const MOST_DRAWS = 50
const TINY = 1e-12

/** https://en.wikipedia.org/wiki/Box-Muller_transform */
const sampleNormal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(Math.max(TINY, random()))) * Math.cos(2 * Math.PI * random())

/** Marsaglia and Tsang's method, for a shape of at least 1: https://doi.org/10.1145/358407.358414 */
function sampleGamma(shape: number, random: Random): number {
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (let draw = 0; draw < MOST_DRAWS; draw += 1) {
    const x = sampleNormal(random)
    const v = (1 + c * x) ** 3
    if (v <= 0) continue
    if (Math.log(Math.max(TINY, random())) < 0.5 * x ** 2 + d * (1 - v + Math.log(v))) return d * v
  }
  return d
}

/** A sample of the Beta distribution; both parameters at least 1. */
export function sampleBeta(alpha: number, beta: number, random: Random): number {
  const one = sampleGamma(alpha, random)
  return one / (one + sampleGamma(beta, random))
}
