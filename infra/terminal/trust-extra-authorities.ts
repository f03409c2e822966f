import { readFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { CommandError, describeError } from './command-error.ts'

const VARIABLE = 'NODE_EXTRA_CA_CERTS'
const CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g

/** Trusts what a `.env` file names in `NODE_EXTRA_CA_CERTS`: Node itself reads only what was set when it started. */
export function trustExtraAuthorities(
  variables: Readonly<Record<string, string | undefined>>,
  started: Readonly<Record<string, string | undefined>> = process.env,
): void {
  const file = variables[VARIABLE]
  if (!file || started[VARIABLE] !== undefined) return
  const certificates = readText(file).match(CERTIFICATE)
  if (certificates === null)
    throw new CommandError(
      `${VARIABLE}: ${file} holds no certificate in PEM form. It must have lines such as -----BEGIN CERTIFICATE-----.`,
    )
  try {
    setDefaultCACertificates([...getCACertificates('default'), ...certificates])
  } catch (error) {
    throw new CommandError(`${VARIABLE}: ${file} cannot be used: ${describeError(error)}`, { cause: error })
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch (error) {
    throw new CommandError(`${VARIABLE}: cannot read ${file}: ${describeError(error)}`, { cause: error })
  }
}
