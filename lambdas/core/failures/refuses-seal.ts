import type { Failure } from './failure.ts'

const SEAL =
  /\bsignature\b.{0,40}\bthinking\b|\bthinking\b.{0,80}\b(?:signature|cannot be modified)\b|encrypted[_ ]content/i

/** Whether an endpoint refuses what another account has sealed in the history: a signed thought, encrypted reasoning. */
export function refusesSeal({ code, status, message }: Failure): boolean {
  if (code === 'invalid_encrypted_content') return true
  return status === 400 && SEAL.test(message ?? '')
}
