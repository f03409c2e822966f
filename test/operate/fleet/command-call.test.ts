import { expect, test } from 'vitest'
import { callsAbout } from '../../../infra/operate/fleet/command-call.ts'

test.each([
  ['a gateway on this machine', callsAbout({})('status'), 'npm run status'],
  ['words of a command', callsAbout({})('why', 'last', '-n', '20'), 'npm run why -- last -n 20'],
  [
    'a stack',
    callsAbout({ stack: 'Backstop-prod', region: 'eu-west-1', profile: 'work' })('why', 'last'),
    'npm run why -- last --stack Backstop-prod --region eu-west-1 --profile work',
  ],
  ['a URL', callsAbout({ url: 'http://[::1]:1/' })('status'), "npm run status -- --url 'http://[::1]:1/'"],
  [
    'what a shell would take apart',
    callsAbout({})('why', "it's $HOME"),
    String.raw`npm run why -- 'it'\''s $HOME'`,
  ],
  [
    'a key, which stays unsaid',
    callsAbout({ stack: 'S', key: 'sk-secret' })('status'),
    'npm run status -- --stack S',
  ],
])('repeats %s', (_, told, expected) => {
  expect(told).toBe(expected)
})
