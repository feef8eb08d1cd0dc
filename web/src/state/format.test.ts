// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { amount, bytes, clock, count, duration, share } from './format.ts';

it('durations have units people use', () => {
  expect([0, 950, 1500, 2.5e6, 614e6, 999.7e6, 1.2e9, 47e9, 119e9, 125e9, 3.5 * 3600e9].map(duration))
    .toEqual(['0', '950 ns', '1.50 µs', '2.50 ms', '614 ms', '1.00 s', '1.20 s', '47.0 s', '119 s', '2.08 min', '3.50 h']);
});
it('bytes are binary', () => expect([0, 512, 1000, 340 * 2 ** 20, 1.5 * 2 ** 30].map(bytes)).toEqual(['0 B', '512 B', '0.98 KiB', '340 MiB', '1.50 GiB']));
it('counts', () => expect([0, 3998, 18_400_221].map(count)).toEqual(['0', '3,998', '18.4 M']));
it('shares do not round what is there to nothing', () => expect([0, 0.0001, 0.124, 1].map(share)).toEqual(['0.0%', '< 0.1%', '12.4%', '100%']));
it('moments are short', () => expect([0, 500, 2500, 10_000, 10_250].map(clock)).toEqual(['0 s', '500 ms', '2.5 s', '10 s', '10.3 s']));
it('what is missing is a dash', () => expect(amount(null, 'ns')).toBe('–'));
