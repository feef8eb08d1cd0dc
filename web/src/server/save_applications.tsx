// SPDX-License-Identifier: Apache-2.0
// The whole list of applications as a table to keep, not only the page of it that is shown.
import { useState } from 'preact/hooks';
import { saveCsv } from '../state/csv.ts';
import { getJson } from './api.ts';
import type { ApplicationPage, ListedApplication } from './contract.ts';

/** The server's largest page. */
const pageSize = 1000;
const mostSaved = 50_000;

const columns = [
  'id',
  'attempt',
  'name',
  'user',
  'group',
  'status',
  'startTime',
  'endTime',
  'durationMs',
  'tasks',
  'cpuSeconds',
  'findings',
  'topFinding',
  'savingMs',
  'totals',
  'version',
  'sparkVersion',
] as const;

async function load(urlOf: (cursor: string | null, limit: number) => string): Promise<ListedApplication[]> {
  const rows: ListedApplication[] = [];
  let cursor: string | null = null;
  do {
    const page: ApplicationPage = await getJson<ApplicationPage>(urlOf(cursor, pageSize));
    rows.push(...page.applications);
    cursor = page.next;
  } while (cursor && rows.length < mostSaved);
  return rows;
}

/** `urlOf`: the question of the list, from a cursor on. */
export function SaveApplications({ urlOf }: { urlOf(cursor: string | null, limit: number): string }) {
  const [state, setState] = useState<'idle' | 'busy' | Error>('idle');
  const save = async () => {
    setState('busy');
    try {
      const rows = await load(urlOf);
      const hasCost = rows.some(({ cost }) => cost);
      saveCsv(
        'applications',
        [...columns, ...(hasCost ? ['cost', 'currency'] : [])],
        rows.map((row) => [
          ...columns.map((name) => row[name] ?? ''),
          ...(hasCost ? [row.cost?.total ?? '', row.cost?.currency ?? ''] : []),
        ]),
      );
      setState('idle');
    } catch (error) {
      setState(error as Error);
    }
  };
  return (
    <>
      {state instanceof Error && (
        <span class="bad" role="alert">
          {state.message}
        </span>
      )}
      <button disabled={state === 'busy'} title="Save all applications that match as CSV" onClick={() => void save()}>
        CSV
      </button>
    </>
  );
}
