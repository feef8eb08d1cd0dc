// SPDX-License-Identifier: Apache-2.0
// Which applications that other data name have a page here: a link to any other would lead nowhere.
import { api, getJson } from './api.ts';
import type { ApplicationPage } from './contract.ts';
import { usePolled } from './poll.ts';

const mostAsked = 20;

/** The known ones among the first of `ids`, which may repeat and be empty. */
export function useKnownApplications(ids: string[]): Set<string> {
  const asked = [...new Set(ids)].filter(Boolean).slice(0, mostAsked);
  const { value } = usePolled(asked.join('\n'), (signal) =>
    Promise.all(
      asked.map(async (id) => {
        const { applications } = await getJson<ApplicationPage>(api('/applications', { search: id }), signal);
        return applications.some((row) => row.id === id) ? [id] : [];
      }),
    ),
  );
  return new Set(value?.flat());
}
