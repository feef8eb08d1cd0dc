// SPDX-License-Identifier: Apache-2.0
// A second report from a file, as the baseline of a comparison.
import { sideBySide, sideIds } from '../analysis/side_by_side.ts';
import type { Report } from '../data/contract.ts';
import { decodeReport, ReportError, withDefaults } from '../data/decode.ts';
import { Model } from '../data/model.ts';
import type { Store } from './store.ts';

/** Shows the flame graphs of both reports as a comparison. Throws ReportError for a file that is no report. */
export async function openBaseline(store: Store, file: File): Promise<void> {
  // parsed only: nothing in it runs or is loaded
  const data = new DOMParser().parseFromString(await file.text(), 'text/html').getElementById('sparkprof-data')?.textContent;
  if (!data) throw new ReportError(`${file.name} is not a sparkprof report: no element sparkprof-data. Choose a report.html.`);
  const other = await decodeReport(data);
  const own = store.baseline.peek()?.own ?? store.model;
  const names: [string, string] = [nameOf(own.report), nameOf(other)];
  const { application } = own.report;
  store.sideNames = names;
  store.baseline.value = { own, other };
  store.replaceModel(new Model(withDefaults({ application, ...sideBySide([own.report, other], names) })));
  store.update({ selection: { executor: sideIds[0] }, versus: { executor: sideIds[1] }, tab: 'flame' });
}

/** Back to the report alone. */
export function closeBaseline(store: Store): void {
  const both = store.baseline.peek();
  if (!both) return;
  store.sideNames = null;
  store.baseline.value = null;
  store.replaceModel(both.own);
  store.update({ selection: {}, versus: null, tab: 'overview' });
}

export const nameOf = ({ application }: Report) => `${application.name}${application.id ? ` (${application.id})` : ''}`;
