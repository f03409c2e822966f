import { afterEach } from 'vitest'

/** Takes what a test opens, and ends it with the test, last first. */
export function endAfterEach(): <Resource extends AsyncDisposable>(resource: Resource) => Resource {
  const opened: AsyncDisposable[] = []
  afterEach(async () => {
    for (const resource of opened.splice(0).toReversed()) await resource[Symbol.asyncDispose]()
  })
  return resource => {
    opened.push(resource)
    return resource
  }
}
