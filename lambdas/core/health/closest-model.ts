/** Names that differ in most of what they say name different models. */
const NEAR_ENOUGH = 0.4
/** A date of publication, or a build: of two models it says nothing. */
const DATE = /^\d{4,8}$/
const DATE_WEIGHT = 0.1
/** Versions follow on one another, families do not. */
const VERSION = /^\d+$/
const VERSION_WEIGHT = 0.5
/** How far the letters count beside the words. */
const LETTERS_WEIGHT = 0.3

/** `Llama3-70b-8192` → llama, 3, 70b, 8192. */
const wordsOf = (name: string): ReadonlySet<string> =>
  new Set(name.toLowerCase().match(/\d+[a-z]?(?![a-z])|[a-z]+/g))

function pairsOf(name: string): ReadonlySet<string> {
  const letters = name.toLowerCase()
  return new Set(
    Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2)),
  )
}

/** The weight of what two sets share, of the weight that both have: 0 to 1. */
function share(
  one: ReadonlySet<string>,
  other: ReadonlySet<string>,
  weightOf: (part: string) => number,
): number {
  const sum = (parts: Iterable<string>): number =>
    [...parts].reduce((total, part) => total + weightOf(part), 0)
  const all = sum(one) + sum(other)
  return all === 0 ? 0 : (2 * sum([...one].filter(part => other.has(part)))) / all
}

/** The names that stand in a text as words of their own. */
function namedIn(text: string, names: readonly string[]): readonly string[] {
  const isPartOf = (character: string | undefined): boolean =>
    character !== undefined && /[\w/:@-]/.test(character)
  return names.filter(name => {
    const at = text.indexOf(name)
    // A full stop may end the sentence, or go on with a version.
    const after = text.slice(at + name.length)
    return at >= 0 && !isPartOf(text[at - 1]) && !/^(?:[\w/:@-]|\.\w)/.test(after)
  })
}

/**
 * The model of a provider's list that comes nearest to one that is gone; null where none does. One that the provider
 * itself names beside it is meant; else the one whose words are most like its own, where a word counts the more the
 * fewer models of the list share it: of all that are called `claude`, one may be an `opus`.
 * @param words what the provider said of the model that is gone
 */
export function closestModel(gone: string, listed: readonly string[], words: string): string | null {
  const names = listed.filter(name => name !== gone)
  const [meant] = namedIn(words, names).toSorted((one, other) => other.length - one.length)
  if (meant !== undefined) return meant

  const ofNames = names.map(name => ({ name, words: wordsOf(name), pairs: pairsOf(name) }))
  const counts = new Map<string, number>()
  for (const word of ofNames.flatMap(({ words: own }) => [...own]))
    counts.set(word, (counts.get(word) ?? 0) + 1)
  const weightOf = (word: string): number => {
    const rarity = Math.log(1 + names.length / (counts.get(word) ?? 1))
    return rarity * (DATE.test(word) ? DATE_WEIGHT : VERSION.test(word) ? VERSION_WEIGHT : 1)
  }
  const [own, ownPairs] = [wordsOf(gone), pairsOf(gone)]
  const ranked = ofNames.map(({ name, words: theirs, pairs }) => {
    const ofWords = share(own, theirs, weightOf)
    const ofLetters = share(ownPairs, pairs, () => 1)
    return { name, likeness: (ofWords + LETTERS_WEIGHT * ofLetters) / (1 + LETTERS_WEIGHT) }
  })
  const [nearest] = ranked.toSorted(
    (one, other) => other.likeness - one.likeness || one.name.length - other.name.length,
  )
  return nearest && nearest.likeness >= NEAR_ENOUGH ? nearest.name : null
}
