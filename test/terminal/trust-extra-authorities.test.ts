import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, expect, it } from 'vitest'
import { trustExtraAuthorities } from '../../infra/terminal/trust-extra-authorities.ts'
import { createTestAuthority } from '../support/upstreams/test-certificate.ts'

const usual = getCACertificates('default')
afterEach(() => setDefaultCACertificates(usual))

function fileWith(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'authorities-')), 'company.pem')
  writeFileSync(file, text)
  return file
}

it('trusts every authority of a bundle that .env names, beside the usual ones', () => {
  const bundle = [createTestAuthority('One').cert, createTestAuthority('Two').cert]
  trustExtraAuthorities({ NODE_EXTRA_CA_CERTS: fileWith(`# The company's\n${bundle.join('\n')}`) }, {})
  const trusted = getCACertificates('default').map(pem => pem.trim())
  expect(trusted).toEqual(expect.arrayContaining(bundle.map(pem => pem.trim())))
  expect(trusted.length).toBeGreaterThan(bundle.length)
})

it('leaves to Node what was set when it started', () => {
  const before = getCACertificates('default')
  trustExtraAuthorities({ NODE_EXTRA_CA_CERTS: 'a.pem' }, { NODE_EXTRA_CA_CERTS: 'a.pem' })
  expect(getCACertificates('default')).toEqual(before)
})

it.each([
  ['that is not there', '/nowhere/company.pem', /NODE_EXTRA_CA_CERTS: cannot read .*ENOENT/],
  ['in DER', fileWith('0\u0082\u0001'), /holds no certificate in PEM form/],
  [
    'that is damaged',
    fileWith('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'),
    /company\.pem cannot be used: /,
  ],
])('refuses a file %s in words', (_, file, said) => {
  expect(() => trustExtraAuthorities({ NODE_EXTRA_CA_CERTS: file }, {})).toThrow(said)
})
