import { generateKeyPairSync, sign } from 'node:crypto'

/** A private key and its self-signed certificate, both PEM. */
export type TestCertificate = { readonly key: string; readonly cert: string }

const TAG = {
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

/** A new certificate for localhost and 127.0.0.1 that nobody has reason to trust. */
export function createTestCertificate(): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const commonName = element(
    TAG.list,
    element(TAG.oid, COMMON_NAME),
    element(TAG.text, Buffer.from('localhost')),
  )
  const name = element(TAG.list, element(TAG.set, commonName))
  const always = ['20200101000000Z', '21200101000000Z'].map(time => element(TAG.time, Buffer.from(time)))
  const hosts = [element(0x82, Buffer.from('localhost')), element(0x87, Buffer.of(127, 0, 0, 1))]
  const extension = element(
    TAG.list,
    element(TAG.oid, SUBJECT_ALTERNATIVE_NAME),
    element(TAG.octets, element(TAG.list, ...hosts)),
  )
  const toBeSigned = element(
    TAG.list,
    element(0xa0, element(TAG.integer, Buffer.of(2))),
    element(TAG.integer, Buffer.of(1)),
    ECDSA_WITH_SHA256,
    name,
    element(TAG.list, ...always),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, element(TAG.list, extension)),
  )
  const signature = element(TAG.bits, Buffer.of(0), sign('sha256', toBeSigned, privateKey))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem('CERTIFICATE', element(TAG.list, toBeSigned, ECDSA_WITH_SHA256, signature)),
  }
}
