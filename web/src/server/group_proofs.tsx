// SPDX-License-Identifier: Apache-2.0
import { duration } from '../state/format.ts';
import { DataTable, type Column } from '../views/data_table.tsx';
import { LongName } from '../views/long_name.tsx';
import { api, getJson } from './api.ts';
import { Problem } from './chrome.tsx';
import type { Proofs } from './contract.ts';
import type { GroupProperties } from './group_properties.ts';
import { usePolled } from './poll.ts';
import { exactMoment, moment } from './times.ts';

const gain = (ms: number) => `${duration(Math.abs(ms) * 1e6)} ${ms < 0 ? 'faster' : 'slower'}`;

/** Proofs of changes of the group's job, by `sparkprof prove`. */
export function GroupProofs({ group }: GroupProperties) {
  const url = api('/proofs', { group });
  const { value, error } = usePolled(url, (signal) => getJson<Proofs>(url, signal));
  const proofs = value?.proofs ?? [];
  const now = Date.now();
  const columns: Column[] = [
    {
      id: 'text',
      label: 'Verdict',
      text: true,
      value: (row) => proofs[row]!.text,
      title: (row) => proofs[row]!.text,
      show: (row) => <LongName text={proofs[row]!.text} />,
    },
    {
      id: 'change',
      label: 'Change',
      text: true,
      code: true,
      value: (row) => proofs[row]!.change,
      title: (row) => proofs[row]!.change,
      show: (row) => <LongName text={proofs[row]!.change} />,
    },
    {
      id: 'finding',
      label: 'Advised by',
      width: '150px',
      text: true,
      value: (row) => proofs[row]!.finding,
      show: (row) => proofs[row]!.finding || <span class="quiet">–</span>,
    },
    {
      id: 'delta',
      label: 'Gained',
      width: '120px',
      hint: 'Median of the differences',
      value: (row) => -(proofs[row]!.deltaMs?.median ?? 0),
      show: (row) => (proofs[row]!.deltaMs ? gain(proofs[row]!.deltaMs!.median) : <span class="quiet">–</span>),
    },
    {
      id: 'time',
      label: 'When',
      width: '96px',
      value: (row) => proofs[row]!.time,
      show: (row) => moment(proofs[row]!.time, now),
      title: (row) => exactMoment(proofs[row]!.time),
    },
  ];
  return (
    <main class="list-page">
      <Problem error={error} />
      {value && value.rules.length > 0 && (
        <p class="quiet">Advice proved: {value.rules.map(({ rule, proofs, proved }) => `${rule} ${proved} of ${proofs}`).join(', ')}</p>
      )}
      {value && proofs.length === 0 ? (
        <p class="empty">
          No proofs of this group. <code>sparkprof prove … --server {location.origin}</code> measures a change and keeps the result here.
        </p>
      ) : value ? (
        <DataTable label="Proofs" columns={columns} rows={proofs.map((_proof, row) => row)} sort="time" />
      ) : (
        !error && <p class="loading">Loading…</p>
      )}
    </main>
  );
}
