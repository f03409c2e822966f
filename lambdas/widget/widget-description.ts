/** What CloudWatch shows of a custom widget to whoever adds it to a dashboard. */
export const WIDGET_DESCRIPTION = `## Backstop: which models answer, and the fleet, endpoint by endpoint
Which models would be answered now, and from where; what bars each other endpoint of their chains, and until when. Health, next probe, breaker, cooldowns, the share of successes in seven days and the last failure of every
configured endpoint, as the gateway's table has it now. It sees no keys, so that a missing one is not told. It takes no
parameters, and changes nothing.
`
