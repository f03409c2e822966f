/** The client keys that a caller shows, in either header: `Authorization: Bearer …` and `x-api-key`. */
export function keysIn(authorization: string | undefined, apiKey: string | undefined): readonly string[] {
  const bearer = /^Bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1]
  return [bearer, apiKey].filter(key => key !== undefined)
}
