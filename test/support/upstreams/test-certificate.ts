import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { isIPv4 } from 'node:net'

/** A private key and its certificate, both PEM. */
export type TestCertificate = { readonly key: string; readonly cert: string }

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  text: 0x0c,
  time: 0x18,
  list: 0x30,
  set: 0x31,
}

const ECDSA_WITH_SHA256 = element(TAG.list, element(TAG.oid, Buffer.from('2a8648ce3d040302', 'hex')))
const COMMON_NAME = Buffer.from('550403', 'hex')
const BASIC_CONSTRAINTS = Buffer.from('551d13', 'hex')
const SUBJECT_ALTERNATIVE_NAME = Buffer.from('551d11', 'hex')

/** One ASN.1 element in DER. */
function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat([...parts])
  const { length } = content
  const lengthBytes =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...lengthBytes), content])
}

function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}

const nameOf = (commonName: string): Buffer =>
  element(
    TAG.list,
    element(
      TAG.set,
      element(TAG.list, element(TAG.oid, COMMON_NAME), element(TAG.text, Buffer.from(commonName))),
    ),
  )

const extension = (oid: Buffer, value: Buffer): Buffer =>
  element(TAG.list, element(TAG.oid, oid), element(TAG.octets, value))

/** Names and addresses, without which no client takes a certificate for a host's. */
function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map(host =>
    isIPv4(host) ? element(0x87, Buffer.from(host.split('.').map(Number))) : element(0x82, Buffer.from(host)),
  )
  return extension(SUBJECT_ALTERNATIVE_NAME, element(TAG.list, ...names))
}

const isAuthority = (): Buffer =>
  extension(BASIC_CONSTRAINTS, element(TAG.list, element(TAG.boolean, Buffer.of(0xff))))

type Issuer = { name: Buffer; privateKey: KeyObject }

/** A new key pair and its certificate; without an issuer it signs itself. */
function createCertificate(commonName: string, extensions: Buffer, issuer?: Issuer) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const own = { name: nameOf(commonName), privateKey }
  const signer = issuer ?? own
  const always = ['20200101000000Z', '21200101000000Z'].map(time => element(TAG.time, Buffer.from(time)))
  const toBeSigned = element(
    TAG.list,
    element(0xa0, element(TAG.integer, Buffer.of(2))),
    element(TAG.integer, Buffer.of(issuer ? 2 : 1)),
    ECDSA_WITH_SHA256,
    signer.name,
    element(TAG.list, ...always),
    own.name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, element(TAG.list, extensions)),
  )
  const signature = element(TAG.bits, Buffer.of(0), sign('sha256', toBeSigned, signer.privateKey))
  const certificate: TestCertificate = {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem('CERTIFICATE', element(TAG.list, toBeSigned, ECDSA_WITH_SHA256, signature)),
  }
  return { own, certificate }
}

/** A new certificate for localhost and 127.0.0.1 that nobody has reason to trust. */
export const createTestCertificate = (): TestCertificate =>
  createCertificate('localhost', alternativeNames(['localhost', '127.0.0.1'])).certificate

/** An authority of one's own, as a company has one, and what it signs for a host. */
export function createTestAuthority(name = 'Test authority'): {
  cert: string
  certificateFor(host: string): TestCertificate
} {
  const { own, certificate } = createCertificate(name, isAuthority())
  return {
    cert: certificate.cert,
    certificateFor: host => createCertificate(host, alternativeNames([host]), own).certificate,
  }
}
