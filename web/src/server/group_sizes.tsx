// SPDX-License-Identifier: Apache-2.0
import { api, part } from './api.ts';
import type { AutoVersions } from './contract.ts';
import type { GroupProperties } from './group_properties.ts';
import { GroupTable, momentColumn } from './group_table.tsx';
import { linkTo } from './links.ts';

/** "spark.executor.cores 4 → 2" */
function changeOf({ versions, own }: AutoVersions, row: number): string {
  const { changed, before, number, settings } = versions[row]!;
  const valueIn = (version: number) => versions.find((one) => one.number === version)?.settings[changed] ?? own[changed] ?? 'default';
  if (changed) return `${changed} ${valueIn(before)} → ${valueIn(number)}`;
  return Object.keys(settings).length > 0 ? `back from version ${before}` : 'back to the job’s own settings';
}

/** Sizes that were set automatically for the group's job, by `sparkprof run --auto`. */
export const GroupSizes = ({ group }: GroupProperties) => (
  <GroupTable<AutoVersions>
    url={api(`/groups/${part(group)}/auto/versions`)}
    label="Automatic sizes"
    sort="number"
    rowsOf={({ versions }) => versions}
    columnsOf={(answer) => {
      const { versions } = answer;
      return [
        { id: 'number', label: 'Version', width: '84px', value: (row) => versions[row]!.number },
        { id: 'change', label: 'Change', text: true, code: true, value: (row) => changeOf(answer, row) },
        { id: 'why', label: 'Reason', text: true, value: (row) => versions[row]!.why },
        {
          id: 'runs',
          label: 'Runs',
          width: '64px',
          hint: 'Runs that had this version; leads to the last one',
          value: (row) => versions[row]!.runs.length,
          show: (row) => {
            const last = versions[row]!.runs.at(-1);
            return last ? <a href={linkTo.application(last)}>{versions[row]!.runs.length}</a> : 0;
          },
        },
        momentColumn('time', 'When', (row) => versions[row]!.time),
      ];
    }}
    above={(answer) =>
      answer &&
      answer.refused.length > 0 && (
        <p class="quiet">Not tried again: {answer.refused.map(({ key, value, why }) => `${key} ${value || '(any)'}: ${why}`).join('; ')}</p>
      )
    }
    empty={
      <>
        No sizes were set for this group. <code>sparkprof run --auto --server {location.origin} -- spark-submit …</code> sets them by the
        last runs, if the server has a policy.
      </>
    }
  />
);
