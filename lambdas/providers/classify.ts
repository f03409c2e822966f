import { classifyFailure, type Observation } from '../core/failures/classify.ts'
import type { Failure } from '../core/failures/failure.ts'
import { providerRow } from './catalog.ts'

/** Classifies a failure by what the catalogue knows of its provider; of one that it does not know, nothing. */
export function classify(observation: Observation): Failure {
  return classifyFailure(observation, providerRow(observation.provider))
}
