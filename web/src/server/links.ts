// SPDX-License-Identifier: Apache-2.0
// Addresses of the server's pages.
import { part } from './api.ts';

export const linkTo = {
  applications: '/',
  groups: '/groups',
  runs: '/runs',
  run: (id: number | string) => `/runs/${part(String(id))}`,
  longevity: (suite: string, job: string) => `/longevity?${new URLSearchParams({ suite, job })}`,
  application: (id: string, attempt = '') => `/applications/${part(id)}${attempt ? `?attempt=${part(attempt)}` : ''}`,
  /** its flame graph between two moments, ms since the Unix epoch */
  flameBetween: (id: string, from: number, to: number) =>
    `/applications/${part(id)}?${new URLSearchParams({ from: String(from), to: String(to) })}`,
  search: (text: string) => `/?${new URLSearchParams({ search: text })}`,
  user: (name: string) => `/?${new URLSearchParams({ user: name })}`,
  group: (name: string) => `/groups/${part(name)}`,
  compare: (a: string, b: string) => `/compare?${new URLSearchParams({ a, b })}`,
};

/** The pages that the line at the top always has. */
export const listPages = [
  { title: 'Applications', href: linkTo.applications },
  { title: 'Groups', href: linkTo.groups },
  { title: 'Results', href: linkTo.runs },
  { title: 'Trend over time', href: '/longevity' },
  { title: 'Fleet', href: '/fleet' },
  { title: 'Infrastructure', href: '/infrastructure' },
];
