type NumberSetting = { default: number; min: number; max: number }
type ChoiceSetting<Choice extends string> = { default: Choice; choices: readonly Choice[] }
type SwitchSetting = { default: boolean }

const number = (fallback: number, min: number, max: number): NumberSetting => ({
  default: fallback,
  min,
  max,
})

const choice = <Choice extends string>(fallback: Choice, ...others: Choice[]): ChoiceSetting<Choice> => ({
  default: fallback,
  choices: [fallback, ...others],
})

const off: SwitchSetting = { default: false }

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Every setting with its default and range; durations in milliseconds. One row here is all a setting needs. */
export const SETTINGS = {
  retry_max_attempts: number(4, 1, 10),
  retry_base_ms: number(200, 0, 10_000),
  retry_patience_ms: number(3_000, 0, 60_000),
  retry_total_wait_ms: number(8_000, 0, 120_000),
  /** In tokens; 0 = derived from the prompt. */
  retry_token_budget: number(0, 0, 10_000_000),
  tool_retries: choice<'strict' | 'turned_away' | 'lenient'>('strict', 'turned_away', 'lenient'),
  connect_timeout_ms: number(3_000, 50, 60_000),
  first_output_timeout_ms: number(10_000, 50, 600_000),
  /** Bounds of the limit that an endpoint's own answers have taught. */
  first_output_adaptive_min_ms: number(2_000, 100, 60_000),
  first_output_adaptive_max_ms: number(30_000, 1_000, 600_000),
  first_output_adaptive_disabled: off,
  idle_timeout_ms: number(25_000, 50, 600_000),
  answer_total_ms: number(120_000, 50, 900_000),
  stream_total_ms: number(600_000, 50, 900_000),
  first_byte_deadline_ms: number(45_000, 50, 600_000),
  content_filter: choice<'stop' | 'next'>('stop', 'next'),
  direct_models: off,

  endpoint_health_disabled: off,
  endpoint_probes_disabled: off,
  endpoint_suspect_threshold: number(2, 1, 100),
  endpoint_quarantine_threshold: number(4, 1, 100),
  endpoint_window_ms: number(24 * HOUR, MINUTE, 7 * 24 * HOUR),
  endpoint_probe_interval_ms: number(MINUTE, 1_000, HOUR),
  endpoint_probe_daily_max: number(60, 1, 1_440),
  /** Probes a day and endpoint that requests wait for, because nothing else is left. */
  endpoint_on_demand_daily_max: number(200, 0, 10_000),

  breaker_failure_rate: number(0.5, 0.05, 1),
  breaker_min_requests: number(5, 1, 1_000),
  breaker_window_ms: number(5 * MINUTE, 30_000, HOUR),
  breaker_open_ms: number(MINUTE, 1_000, HOUR),

  capability_memory_ms: number(24 * HOUR, 0, 30 * 24 * HOUR),
  /** One call in this time to what only guesses bar, when nothing else is left. */
  last_resort_ms: number(2_000, 100, HOUR),
  local_cooldown_max_ms: number(5_000, 0, HOUR),
  state_wait_ms: number(50, 0, 1_000),
  /** The same for the first request of an instance, which has no older picture to go by. */
  state_first_wait_ms: number(500, 0, 5_000),
  /** Metrics under distinct dimension values that one instance writes; CloudWatch bills each of them. */
  metric_sets_max: number(300, 30, 10_000),
} as const satisfies Record<string, NumberSetting | ChoiceSetting<string> | SwitchSetting>

export type SettingName = keyof typeof SETTINGS

/** All settings with a value each: defaults overlaid by configuration, environment and operator overrides. */
export type Settings = { readonly [Name in SettingName]: (typeof SETTINGS)[Name]['default'] }

/** The defaults as one object. */
export const DEFAULT_SETTINGS: Settings = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, row]) => [name, row.default]),
) as Settings
