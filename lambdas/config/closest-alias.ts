import { closestName } from './closest-name.ts'
import type { Gateway } from './resolve-gateway.ts'

/** The alias that a client most likely meant by an unknown name; null where none comes near. */
export function closestAlias({ chains }: Pick<Gateway, 'chains'>, name: string): string | null {
  return closestName(name, [...chains.keys()])
}
