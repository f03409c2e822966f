import { Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { expect, it } from 'vitest'
import { Backstop, type BackstopProps } from '../../../infra/backstop.ts'
import { gatewayPrefix } from '../../../infra/operate/fleet/stack-gateways.ts'
import { CONFIG, createApp } from '../../infra/synthesise.ts'

/** The outputs of a stack with gateways under these ids. */
function outputsOf(...ids: string[]): Set<string> {
  const stack = new Stack(createApp(), 'Shop')
  for (const id of ids) {
    const { stackReference } = new Backstop(stack, id, { config: CONFIG as BackstopProps['config'] })
    expect(stackReference).toBe(id === 'Default' ? 'Shop' : `Shop/${id}`)
  }
  const { Outputs } = Template.fromStack(stack).toJSON() as { Outputs: object }
  return new Set(['AnotherUrl', 'OtherSecretName', ...Object.keys(Outputs)])
}

it('a stack that is one gateway, or holds one, is named by its name', () => {
  expect(gatewayPrefix('Shop', outputsOf('Default'))).toBe('')
  expect(gatewayPrefix('Shop', outputsOf('Llm'))).toBe('Llm')
})

it('one of several is named behind a slash, as the construct says', () => {
  const outputs = outputsOf('Llm', 'Batch')
  expect(gatewayPrefix('Shop/Batch', outputs)).toBe('Batch')
  expect(() => gatewayPrefix('Shop', outputs)).toThrow(
    "The stack 'Shop' has several gateways. Name one of them: Shop/Batch, Shop/Llm.",
  )
  expect(() => gatewayPrefix('Shop/Lm', outputs)).toThrow(
    "The stack 'Shop' has no gateway 'Lm'. It has Shop/Batch, Shop/Llm.",
  )
})

it('a stack of something else has no gateway under any name', () => {
  const outputs = new Set(['Url', 'BucketName'])
  expect(gatewayPrefix('Shop', outputs)).toBe('')
  expect(() => gatewayPrefix('Shop/Llm', outputs)).toThrow(
    "The stack 'Shop' has no gateway 'Llm'. It has none.",
  )
})
