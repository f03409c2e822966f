import { expect, test } from 'vitest'
import { wantedForm } from '../../../lambdas/core/failures/wording/dialect-wording.ts'

test.each([
  'content must be a string',
  "Invalid value for 'content': expected a string, got an array.",
  'messages[0]: invalid type: sequence, expected a string at line 1 column 93',
  "messages.0.content: Input should be a valid string [type=string_type, input_value=[{'type': 'text'}], input_type=list]",
  '[{"field":"content","error":"content should be a string"}]',
  'messages[2].content must be a string, but got list',
])('"%s" asks for texts instead of lists of them', words => {
  expect(wantedForm(words)).toBe('joined_texts')
})

test.each([
  "Invalid value for 'content': expected a string, got null.",
  "Invalid value for 'content': expected a string, but got null instead.",
  'messages[1].content: invalid type: null, expected a string at line 1 column 93',
  'messages.1.content: Input should be a valid string [type=string_type, input_value=None, input_type=NoneType]',
  "Invalid type for 'messages[1].content': expected a string or an array of objects, but got null instead.",
  "'content' must be a string, received undefined",
  'content must be a string, but it is an integer',
  'messages.1.content.str: Input should be a valid string; messages.1.content.list: Input should be a valid list',
  "'content' must be a string or an array of parts",
  'content should be of type string, not an empty object: got <class NoneType>',
])('"%s" does not', words => {
  expect(wantedForm(words)).toBeNull()
})
