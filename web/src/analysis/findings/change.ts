// SPDX-License-Identifier: Apache-2.0
// The change that a finding advises as lines before and after it.
import type { Finding, SettingChange } from '../../data/contract.ts';

export interface Difference {
  title: string;
  before: string[];
  after: string[];
}

/** A value of a setting and not words about it. */
const isValue = (text: string) => !/\s/.test(text);

/** "fewer, such as 1" has a value to begin with. */
const exampleIn = (words: string) => /such as (\S+)$/.exec(words)?.[1];

function assignment(name: string, value: string | null): string {
  if (value === null) return `# ${name} is not set`;
  if (isValue(value)) return `${name}=${value}`;
  const example = exampleIn(value);
  return `${name}${example ? `=${example}` : ''}  # ${value}`;
}

const ofSettings = (title: string, settings: SettingChange[]): Difference[] =>
  settings.length === 0
    ? []
    : [
        {
          title,
          before: settings.map(({ name, before }) => assignment(name, before)),
          after: settings.map(({ name, after }) => assignment(name, after)),
        },
      ];

export function differencesOf({ settings = [], example }: Finding): Difference[] {
  return [
    ...ofSettings(
      'Settings',
      settings.filter(({ inCode }) => !inCode),
    ),
    ...ofSettings(
      'Settings in the program’s code',
      settings.filter(({ inCode }) => inCode),
    ),
    ...(example ? [{ title: 'Code, for example', before: example.before.split('\n'), after: example.after.split('\n') }] : []),
  ];
}

/** "- a=1" and "+ a=2" */
export const diffLines = ({ before, after }: Difference): string[] => [
  ...before.map((line) => `- ${line}`),
  ...after.map((line) => `+ ${line}`),
];

export interface Prediction {
  /** ms */
  recorded: number;
  low: number;
  high: number;
}

/** ms; zeros for a failure without a saving. */
export const savedMs = ({ savingMs }: Finding): { low: number; high: number } => savingMs || { low: 0, high: 0 };

/** The duration with the change; null where the saving is not known, and for a failure, of which time is not the point. */
export function predictionOf(finding: Finding, recorded: number): Prediction | null {
  const { low, high } = savedMs(finding);
  return high > 0 && !finding.isFailure ? { recorded, low: Math.max(0, recorded - high), high: Math.max(0, recorded - low) } : null;
}
