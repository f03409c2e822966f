import * as z from 'zod/mini'

const URL_FORM = 'expected an address such as "https://otel.example.com"'
const LAYER_FORM = 'expected the ARN of a version of a layer'
const VARIABLES = 'expected variables of OpenTelemetry such as { OTEL_SERVICE_NAME: "llm" }'
const NO_HEADERS = 'expected no headers here, where they would stand in the template: use headersSecret'

/** Where the deployed gateway sends its traces. */
export const openTelemetry = z.optional(
  z
    .strictObject(
      {
        endpoint: z.optional(z.string(URL_FORM).check(z.regex(/^https?:\/\/\S+$/, URL_FORM))),
        layer: z.optional(
          z.string(LAYER_FORM).check(z.regex(/^arn:[\w-]+:lambda:[\w-]+:\d+:layer:[\w-]+:\d+$/, LAYER_FORM)),
        ),
        headersSecret: z.optional(
          z.string('expected the name or the ARN of a secret').check(z.minLength(1, 'expected a name')),
        ),
        variables: z.optional(
          z
            .record(z.string().check(z.regex(/^OTEL_\w+$/, VARIABLES)), z.string(VARIABLES), VARIABLES)
            .check(
              z.refine(names => !Object.keys(names).some(name => name.endsWith('_HEADERS')), NO_HEADERS),
            ),
        ),
      },
      'expected an object such as { endpoint: "https://otel.example.com" }',
    )
    .check(
      z.refine(
        ({ endpoint, layer, variables }) => [endpoint, layer, variables].some(value => value !== undefined),
        'expected endpoint, the layer of a collector, or variables',
      ),
    ),
)
