// SPDX-License-Identifier: Apache-2.0
// The tabs. A new one is one file and one line here; it appears when it has data.
import type { ComponentType } from 'preact';
import type { Report } from '../data/contract.ts';
import { FlameTab } from './flame_tab.tsx';
import { StagesTab } from './stages_tab.tsx';

export interface Tab { id: string; label: string; view: ComponentType; hasData(report: Report): boolean }

export const tabs: Tab[] = [
  { id: 'flame', label: 'Flame graph', view: FlameTab, hasData: () => true },
  { id: 'stages', label: 'Stages', view: StagesTab, hasData: (report) => report.stages.length > 0 },
];

export function tabsOf(report: Report): Tab[] {
  return tabs.filter((tab) => tab.hasData(report));
}
