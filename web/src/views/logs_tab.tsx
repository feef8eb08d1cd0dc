// SPDX-License-Identifier: Apache-2.0
// Errors, templates over time and the lines themselves.
import { useMemo, useState } from 'preact/hooks';
import { isBad, templateCurves } from '../analysis/logs.ts';
import { placesFound } from '../analysis/search.ts';
import { overlaps } from '../analysis/selection.ts';
import type { LogError, Logs } from '../data/contract.ts';
import { usePart, useStore } from '../state/store.ts';
import { clockColumn, plainColumn } from './columns.tsx';
import { DataTable, type Column } from './data_table.tsx';
import { FilteredRows } from './filter_notes.tsx';
import { LogList } from './log_list.tsx';
import { Sparkline } from './sparkline.tsx';

const sparks = 60;

export function LogsTab() {
  const store = useStore();
  const [templatePart, setTemplatePart] = usePart('template');
  const template = templatePart === '' ? -1 : Number(templatePart);
  const setTemplate = (row: number) => setTemplatePart(row < 0 ? '' : String(row));
  const logs = store.model.report.logs!;
  return (
    <div class="logs">
      {logs.dropped && <p class="warn note">{logs.dropped}</p>}
      {logs.errors.length > 0 && (
        <>
          <h2 class="section-title">
            Errors <span class="quiet">newest first</span>
          </h2>
          <Errors logs={logs} />
        </>
      )}
      <h2 class="section-title">
        Templates <span class="quiet">messages that differ only in parameters; click one to see its lines</span>
      </h2>
      <Templates logs={logs} chosen={template} choose={(row) => setTemplate(row === template ? -1 : row)} />
      <h2 class="section-title">
        Lines{' '}
        {template >= 0 && (
          <span class="quiet">
            of one template{' '}
            <button class="link" onClick={() => setTemplate(-1)}>
              all templates
            </button>
          </span>
        )}
      </h2>
      <LogList logs={logs} label="Log lines" template={template} height={520} />
    </div>
  );
}

function Errors({ logs }: { logs: Logs }) {
  const store = useStore();
  const [open, setOpen] = useState(-1);
  const { errors } = logs;
  const { search, from, to } = store.selection.value;
  const relative = (time: number | null, otherwise: number) => (time ? store.model.relative(time) : otherwise);
  const rows = useMemo(
    () =>
      placesFound(
        errors.map(({ message, rootCause, stack }) => `${message} ${rootCause ?? ''} ${stack}`),
        search,
      ).filter((row) => overlaps({ from, to }, relative(errors[row]!.first, -Infinity), relative(errors[row]!.last, Infinity))),
    [errors, search, from, to],
  );
  const when = (id: 'first' | 'last', label: string) =>
    clockColumn(
      id,
      label,
      (row) => errors[row]![id] && store.model.relative(errors[row]![id]),
      (ms) => store.dateAt(ms),
    );
  const columns = useMemo<Column[]>(
    () => [
      when('last', 'Last'),
      when('first', 'First'),
      { id: 'count', label: 'Count', width: '70px', value: (row) => errors[row]!.count },
      {
        id: 'level',
        label: 'Level',
        width: '70px',
        text: true,
        value: (row) => errors[row]!.level,
        show: (row) => <span class={isBad(errors[row]!.level) ? 'bad' : 'warn'}>{errors[row]!.level}</span>,
      },
      { id: 'message', label: 'Message', text: true, value: (row) => errors[row]!.message },
      { id: 'cause', label: 'Root cause', text: true, value: (row) => errors[row]!.rootCause ?? '' },
    ],
    [errors],
  );
  const pick = (row: number) => {
    setOpen(row === open ? -1 : row);
    const { last } = errors[row]!;
    if (last) store.update({ moment: Math.max(0, store.model.relative(last)) });
  };
  return (
    <>
      <FilteredRows shown={rows.length} total={errors.length} what="errors" filters={['time', 'search']} />
      <DataTable label="Errors" columns={columns} rows={rows} sort="last" maxHeight={240} isSelected={(row) => row === open} pick={pick} />
      {open >= 0 && errors[open] && <ErrorDetail error={errors[open]!} />}
    </>
  );
}

function ErrorDetail({ error }: { error: LogError }) {
  return (
    <div class="error-detail">
      <p>
        <b>{error.message}</b>
      </p>
      {error.rootCause && <p>Root cause: {error.rootCause}</p>}
      <p class="quiet">
        {error.where.slice(0, 5).join(' · ')}
        {error.where.length > 5 && ` and ${error.where.length - 5} more`}
      </p>
      {error.stack && <pre tabIndex={0}>{error.stack}</pre>}
    </div>
  );
}

function Templates({ logs, chosen, choose }: { logs: Logs; chosen: number; choose(row: number): void }) {
  const store = useStore();
  const { templates } = logs;
  const { search, from, to } = store.selection.value;
  const known = useMemo(() => templates.flatMap((template, row) => (template.count > 0 ? [row] : [])), [templates]);
  const rows = useMemo(
    () =>
      placesFound(
        templates.map(({ text }) => text),
        search,
      ).filter((row) => {
        const { count: lines, first, last } = templates[row]!;
        return (
          lines > 0 &&
          overlaps({ from, to }, first > 0 ? store.model.relative(first) : -Infinity, last > 0 ? store.model.relative(last) : Infinity)
        );
      }),
    [templates, search, from, to],
  );
  const curves = useMemo(() => templateCurves(logs, store.model.duration, sparks), [logs]);
  const worst = (row: number) =>
    Object.keys(templates[row]!.levels).find(isBad) ??
    (templates[row]!.levels.WARN ? 'WARN' : (Object.keys(templates[row]!.levels)[0] ?? ''));
  const columns = useMemo<Column[]>(
    () => [
      plainColumn('count', 'Count', 'count', (row) => templates[row]!.count, '80px'),
      {
        id: 'level',
        label: 'Level',
        width: '70px',
        text: true,
        value: worst,
        show: (row) => <span class={isBad(worst(row)) ? 'bad' : worst(row) === 'WARN' ? 'warn' : 'quiet'}>{worst(row)}</span>,
      },
      clockColumn(
        'first',
        'First',
        (row) => (templates[row]!.first > 0 ? store.model.relative(templates[row]!.first) : null),
        (ms) => store.dateAt(ms),
      ),
      {
        id: 'time',
        label: 'Over time',
        width: '200px',
        text: true,
        value: (row) => templates[row]!.first,
        show: (row) => (curves.has(row) ? <Sparkline values={curves.get(row)!} label={`over time: ${templates[row]!.count}`} /> : null),
      },
      { id: 'text', label: 'Template', text: true, code: true, value: (row) => templates[row]!.text || '(no template)' },
    ],
    [templates, curves],
  );
  return (
    <>
      <FilteredRows shown={rows.length} total={known.length} what="templates" filters={['time', 'search']} />
      <DataTable
        label="Templates"
        columns={columns}
        rows={rows}
        sort="count"
        maxHeight={300}
        isSelected={(row) => row === chosen}
        pick={choose}
      />
    </>
  );
}
