// SPDX-License-Identifier: Apache-2.0
import { duration } from '../state/format.ts';
import { api } from './api.ts';
import type { Proofs } from './contract.ts';
import type { GroupProperties } from './group_properties.ts';
import { GroupTable, momentColumn } from './group_table.tsx';

const gain = (ms: number) => `${duration(Math.abs(ms) * 1e6)} ${ms < 0 ? 'faster' : 'slower'}`;

/** Proofs of changes of the group's job, by `sparkprof prove`. */
export const GroupProofs = ({ group }: GroupProperties) => (
  <GroupTable<Proofs>
    url={api('/proofs', { group })}
    label="Proofs"
    sort="time"
    rowsOf={({ proofs }) => proofs}
    columnsOf={({ proofs }) => [
      { id: 'text', label: 'Verdict', text: true, value: (row) => proofs[row]!.text },
      { id: 'change', label: 'Change', text: true, code: true, value: (row) => proofs[row]!.change },
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
      momentColumn('time', 'When', (row) => proofs[row]!.time),
    ]}
    above={(answer) =>
      answer &&
      answer.rules.length > 0 && (
        <p class="quiet">Advice proved: {answer.rules.map(({ rule, proofs, proved }) => `${rule} ${proved} of ${proofs}`).join(', ')}</p>
      )
    }
    empty={
      <>
        No proofs of this group. <code>sparkprof prove … --server {location.origin}</code> measures a change and keeps the result here.
      </>
    }
  />
);
