import { DEFAULT_SETTINGS, type Settings } from '../../settings/settings.ts'
import type { EndpointFigures } from '../endpoint-figures.ts'
import { nearlyAllWithinMs } from './nearly-all-within.ts'

/** How much slower than nearly all of its answers one may be. */
const TIMES = 2

type Usual = {
  settings: Settings
  figures: EndpointFigures | undefined
  promptTokens: number
  /** How often in a row this instance has not waited for its first output, of late. */
  cuts: number
  /** The call decides whether a breaker closes. */
  isTrial: boolean
}

/**
 * How long the first output of an endpoint is waited for while another one could answer, in milliseconds: twice what
 * 99 % of its own answers to prompts of that size took, so that a thinking model is not cut and a fast one that is dead is
 * left soon; the setting where too little is known, where it was set to something else than its default, and where this is
 * switched off.
 *
 * What was cut is in no histogram: a limit that only reads those would never see answers slower than itself, and an
 * endpoint that has become slower would be cut for ever. So a limit that has cut is not trusted. It doubles with every
 * cut, up to the setting (or, where it is above that, up to its own upper bound), until nothing was cut for a quarter of an
 * hour. What it lets through meanwhile is counted, and from the hundredth part of the answers on moves the 99 % itself.
 * Each instance remembers its own cuts, so that each cuts a few times at most; and a breaker's trial is never cut
 * short, so that an endpoint which others have cut into its bench comes out of it.
 */
export function usualFirstOutputMs({ settings, figures, promptTokens, cuts, isTrial }: Usual): number {
  const {
    first_output_timeout_ms: fixed,
    first_output_adaptive_min_ms: least,
    first_output_adaptive_max_ms: most,
    first_output_adaptive_disabled: disabled,
  } = settings
  const isSet = fixed !== DEFAULT_SETTINGS.first_output_timeout_ms
  const nearlyAll = nearlyAllWithinMs(figures, promptTokens)
  if (disabled || isSet || nearlyAll === null) return fixed
  const learnt = Math.round(Math.min(most, Math.max(least, TIMES * nearlyAll)))
  const ceiling = learnt < fixed ? fixed : Math.max(learnt, most)
  return isTrial ? ceiling : Math.min(ceiling, learnt * 2 ** cuts)
}
