import * as z from 'zod/mini'

// What an organisation wants of everything in its accounts.

const TAG = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u
const CHARACTERS = 'expected letters, digits, spaces and _ . : / = + - @'

const isTagKey = (key: string): boolean =>
  key.length > 0 && key.length <= 128 && TAG.test(key) && !/^aws:/i.test(key)

const tagValue = z
  .string('expected a text')
  .check(z.maxLength(256, 'expected a value of at most 256 characters'), z.regex(TAG, CHARACTERS))

/** Of every resource that can have tags. */
export const tags = z.optional(
  z
    .record(z.string(), tagValue, 'expected an object such as { team: "search" }')
    .check(
      z.refine(
        found => Object.keys(found).every(isTagKey),
        'expected keys of 1 to 128 letters, digits, spaces and _ . : / = + - @ that do not begin with "aws:"',
      ),
    ),
)

/** Of every role. */
export const permissionsBoundary = z.optional(
  z
    .string('expected the ARN of a policy')
    .check(
      z.regex(
        /^arn:aws[\w-]*:iam::(?:\d{12}|aws):policy\/[\w+=,.@/-]+$/,
        'expected the ARN of a policy such as "arn:aws:iam::123456789012:policy/boundary"',
      ),
    ),
)

/** In dollars, of the resources with the gateway's tag. */
export const budget = z.optional(
  z.strictObject(
    {
      dollarsPerMonth: z
        .number('expected a number of dollars')
        .check(z.gt(0, 'expected more than 0 dollars')),
      email: z.optional(
        z
          .string('expected an e-mail address')
          .check(
            z.regex(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'expected an e-mail address such as "costs@example.com"'),
          ),
      ),
    },
    'expected an object such as { dollarsPerMonth: 50 }',
  ),
)
