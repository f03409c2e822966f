export type Theme = 'light' | 'dark'

/** Whether something is as it should be, on its way, or not. */
export type Tone = 'good' | 'fair' | 'bad' | 'quiet'

/** Colours that keep their contrast on the console's own background. */
export type Palette = {
  text: string
  muted: string
  line: string
  track: string
  tones: Record<Tone, string>
}

const PALETTES: Readonly<Record<Theme, Palette>> = {
  light: {
    text: '#16191f',
    muted: '#5f6b7a',
    line: '#e9ebed',
    track: '#e9ebed',
    tones: { good: '#037f0c', fair: '#8d6605', bad: '#c91414', quiet: '#5f6b7a' },
  },
  dark: {
    text: '#e3e6ea',
    muted: '#9aa5b1',
    line: '#2f3b4a',
    track: '#364152',
    tones: { good: '#3fc74a', fair: '#f2c744', bad: '#ff7a7a', quiet: '#9aa5b1' },
  },
}

/** The colours of one theme of the console. */
export const paletteOf = (theme: Theme): Palette => PALETTES[theme]
