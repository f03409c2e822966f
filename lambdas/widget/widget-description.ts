/** What CloudWatch shows of a custom widget to whoever adds it to a dashboard. */
export const WIDGET_DESCRIPTION = `## Backstop: the fleet, endpoint by endpoint
Health, next probe, breaker, cooldowns, the share of successes in seven days and the last failure of every
configured endpoint, as the gateway's table has it now. It takes no parameters, and changes nothing.
`
