// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { amount, bytes, clock, clocks, count, duration, hours, money, share } from './format.ts';

it('durations and bytes read as in the terminal', () => {
  expect([0, 950, 999_499, 2.5e6, 614e6, 999.7e6, 1.2e9, 116.7e9, 119.94e9, 125e9, 417.6e9, 3599e9, 3.5 * 3600e9].map(duration)).toEqual([
    '0',
    '950 ns',
    '999 µs',
    '3 ms',
    '614 ms',
    '1.0 s',
    '1.2 s',
    '116.7 s',
    '119.9 s',
    '2.1 min',
    '7.0 min',
    '1.0 h',
    '3.5 h',
  ]);
  expect([0, 512, 1000, 1024, 340 * 2 ** 20, 1.5 * 2 ** 30].map(bytes)).toEqual([
    '0 B',
    '512 B',
    '1,000 B',
    '1.0 KiB',
    '340 MiB',
    '1.5 GiB',
  ]);
});
it('counts', () => expect([0, 3998, 18_400_221].map(count)).toEqual(['0', '3,998', '18.4 M']));
it('shares do not round what is there to nothing', () =>
  expect([0, 0.0001, 0.124, 1].map(share)).toEqual(['0.0%', '< 0.1%', '12.4%', '100%']));
it('moments are short', () => expect([0, 500, 2500, 10_000, 10_250].map(clock)).toEqual(['0 s', '500 ms', '2.5 s', '10 s', '10.3 s']));
it('late moments are as exact as early ones', () =>
  expect([125_000, 161_320, 3_725_000].map(clock)).toEqual(['2:05', '2:41.3', '1:02:05']));
it('moments have the digits of durations', () => expect([1260, 116_730, 119_949].map(clock)).toEqual(['1.3 s', '116.7 s', '119.9 s']));
it('both ends of a range read alike', () =>
  expect([clocks(0, 5000), clocks(20, 640), clocks(8_312, 16_930), clocks(117_000, 134_100)]).toEqual([
    '0–5 s',
    '20–640 ms',
    '8.3–16.9 s',
    '1:57–2:14.1',
  ]));
it('the ends of a short range differ', () =>
  expect([clocks(5020, 5040), clocks(5020, 5540), clocks(125_020, 125_040)]).toEqual(['5.02–5.04 s', '5.02–5.54 s', '2:05.02–2:05.04']));
it('hours and money have three digits, and are not nothing where they are small', () => {
  expect([0, 0.0004, 0.01, 1.234, 12_345].map(hours)).toEqual(['0', '<0.01', '0.01', '1.23', '12,345']);
  expect([0, 0.000004, 0.0004, 0.01, 1.234, 12_345].map((value) => money(value))).toEqual([
    '0',
    '<0.00001',
    '0.0004',
    '0.01',
    '1.23',
    '12,345',
  ]);
  expect(money(0.01234, 'USD')).toBe('0.0123 USD');
});
it('what is missing is a dash', () => expect(amount(null, 'ns')).toBe('–'));
