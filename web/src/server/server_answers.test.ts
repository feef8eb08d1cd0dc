// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { fixtureNow, makeApplications } from '../../tests/fixture_server.ts';
import { earlierRuns } from './server_answers.ts';

describe('runs to compare an application with', () => {
  const [first] = makeApplications(1);
  const run = (id: string, hoursAgo: number, more = {}) => ({
    ...first!,
    id,
    name: 'orders',
    status: 'finished' as const,
    startTime: new Date(fixtureNow).setHours(12, 0, 0, 0) - hoursAgo * 3600e3,
    ...more,
  });
  const own = run('own', 0);

  it('are the one before it and the latest of the day before, by its name', () => {
    const rows = [own, run('b', 2), run('c', 20), run('d', 30), run('other', 1, { name: 'invoices' }), run('later', -1)];
    expect(earlierRuns(own, rows).map(({ title, href }) => [title, href])).toEqual([
      ['Compare with yesterday’s run', '/compare?a=own&b=c'],
      ['Compare with the run before', '/compare?a=own&b=b'],
    ]);
  });

  it('are none without an earlier run that finished', () => {
    expect(earlierRuns(own, [own, run('b', 2, { status: 'failed' })])).toEqual([]);
  });
});
