// SPDX-License-Identifier: Apache-2.0
import type { Report } from '../data/contract.ts';
import { money } from '../state/format.ts';
import type { Column } from './data_table.tsx';

/** The costs of the tasks of each row. Without prices, a column without values. */
export const costColumn = (rows: { cost?: number }[], { application }: Report): Column => ({
  id: 'cost',
  label: `Cost, ${application.cost?.currency}`,
  width: '84px',
  value: (row) => rows[row]!.cost ?? 0,
  show: (row) => money(rows[row]!.cost ?? 0),
});
