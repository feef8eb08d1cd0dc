// SPDX-License-Identifier: Apache-2.0
// The tabs. A new one is one file and one line here; it appears when it has data.
import type { ComponentType } from 'preact';
import { hasMemory } from '../analysis/memory.ts';
import type { Report } from '../data/contract.ts';
import { isProfileAlone } from '../data/model.ts';
import { EnvironmentTab } from './environment_tab.tsx';
import { ExecutorsTab } from './executors_tab.tsx';
import type { Filter } from './filter_notes.tsx';
import { FlameTab } from './flame/flame_tab.tsx';
import { HeapTab } from './heap_tab.tsx';
import { LogsTab } from './logs_tab.tsx';
import { MemoryTab } from './memory_tab.tsx';
import { MetricsTab } from './metrics_tab.tsx';
import { OverviewTab } from './overview_tab.tsx';
import { PythonTab } from './python_tab.tsx';
import { SqlTab } from './plans/sql_tab.tsx';
import { StagesTab } from './stages/stages_tab.tsx';
import { StorageTab } from './storage_tab.tsx';
import { StreamingTab } from './streaming_tab.tsx';

export interface Tab {
  id: string;
  label: string;
  view: ComponentType;
  /** the filters of the selection that its content follows or marks */
  uses: readonly Filter[];
  hasData(report: Report): boolean;
}

const everything: readonly Filter[] = ['event', 'job', 'tag', 'stage', 'task', 'sql', 'phase', 'executor', 'thread', 'time', 'search'];

// in Spark's own order, and then what only sparkprof has
export const tabs: Tab[] = [
  { id: 'overview', label: 'Overview', view: OverviewTab, uses: ['time'], hasData: (report) => !isProfileAlone(report) },
  {
    id: 'flame',
    label: 'Flame graph',
    view: FlameTab,
    uses: everything,
    hasData: (report) => report.events.length > 0 || isProfileAlone(report),
  },
  {
    id: 'stages',
    label: 'Stages',
    view: StagesTab,
    uses: ['job', 'tag', 'stage', 'task', 'sql', 'time', 'search'],
    hasData: (report) => report.stages.length > 0,
  },
  { id: 'sql', label: 'SQL / DataFrame', view: SqlTab, uses: ['tag', 'sql', 'time', 'search'], hasData: (report) => report.sql.length > 0 },
  { id: 'executors', label: 'Executors', view: ExecutorsTab, uses: everything, hasData: (report) => report.executors.length > 0 },
  { id: 'storage', label: 'Storage', view: StorageTab, uses: ['stage', 'time', 'search'], hasData: (report) => !!report.storage?.length },
  { id: 'streaming', label: 'Structured Streaming', view: StreamingTab, uses: ['time'], hasData: (report) => !!report.streaming },
  {
    id: 'python',
    label: 'Python',
    view: PythonTab,
    uses: ['stage', 'search'],
    hasData: (report) => report.udfs.length + report.waits.length > 0,
  },
  { id: 'memory', label: 'Memory', view: MemoryTab, uses: ['executor', 'time'], hasData: hasMemory },
  {
    id: 'heap',
    label: 'Heap',
    view: HeapTab,
    uses: ['executor', 'time', 'search'],
    hasData: (report) => !!report.heap && report.heap.summaries.length > 0,
  },
  {
    id: 'metrics',
    label: 'Metrics',
    view: MetricsTab,
    uses: ['executor', 'time'],
    hasData: (report) => report.series.length > 0 || report.tasks.taskId.length > 0,
  },
  {
    id: 'logs',
    label: 'Logs',
    view: LogsTab,
    uses: ['executor', 'time', 'search'],
    hasData: (report) => !!report.logs && report.logs.templates.length > 0,
  },
  { id: 'environment', label: 'Environment', view: EnvironmentTab, uses: ['search'], hasData: (report) => report.environment.length > 0 },
];

export function tabsOf(report: Report): Tab[] {
  return tabs.filter((tab) => tab.hasData(report));
}
