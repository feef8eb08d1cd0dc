// SPDX-License-Identifier: Apache-2.0
// A physical plan as a tree with the metrics of each node; the bar compares what the operators cost themselves.
import { useMemo, useRef, useState } from 'preact/hooks';
import { isSampled, ownTime } from '../../analysis/plan_graph.ts';
import type { PlanNode } from '../../data/contract.ts';
import { amount, exact } from '../../state/format.ts';

interface Row {
  id: string;
  node: PlanNode;
  level: number;
  parent: string;
  place: number;
  siblings: number;
  time: number;
}

function flatten(plan: PlanNode): Row[] {
  const rows: Row[] = [];
  const add = (node: PlanNode, id: string, level: number, parent: string, place: number, siblings: number) => {
    rows.push({ id, node, level, parent, place, siblings, time: ownTime(node) });
    const children = node.children ?? [];
    children.forEach((child, i) => add(child, `${id}.${i}`, level + 1, id, i + 1, children.length));
  };
  add(plan, '0', 1, '', 1, 1);
  return rows;
}

export function PlanTree({ plan }: { plan: PlanNode }) {
  const rows = useMemo(() => flatten(plan), [plan]);
  const [closed, setClosed] = useState<Set<string>>(new Set());
  const [focused, setFocused] = useState('0');
  const host = useRef<HTMLUListElement>(null);
  const kind = isSampled(plan) ? 'own CPU time and waiting' : 'own elapsed time';
  const longest = rows.reduce((most, row) => Math.max(most, row.time), 0) || 1;
  const visible = rows.filter((row) => {
    for (let at = row.parent; at !== ''; at = at.includes('.') ? at.slice(0, at.lastIndexOf('.')) : '') if (closed.has(at)) return false;
    return true;
  });
  const toggle = (id: string, close: boolean) =>
    setClosed((before) => {
      const after = new Set(before);
      if (close) after.add(id);
      else after.delete(id);
      return after;
    });
  const onKey = (event: KeyboardEvent) => {
    const at = visible.findIndex(({ id }) => id === focused);
    const row = visible[at];
    if (!row) return;
    const focus = (id: string | undefined) => {
      if (!id) return;
      setFocused(id);
      host.current?.querySelector<HTMLElement>(`[data-id="${id}"]`)?.focus();
    };
    if (event.key === 'ArrowDown') focus(visible[at + 1]?.id);
    else if (event.key === 'ArrowUp') focus(visible[at - 1]?.id);
    else if (event.key === 'ArrowRight') toggle(row.id, false);
    else if (event.key === 'ArrowLeft') {
      if (closed.has(row.id) || !row.node.children?.length) focus(row.parent);
      else toggle(row.id, true);
    } else return;
    event.preventDefault();
  };
  return (
    <ul class="plan" role="tree" aria-label="Physical plan" ref={host} onKeyDown={onKey}>
      {visible.map((row) => {
        const { node, id } = row;
        const parent = (node.children?.length ?? 0) > 0;
        return (
          <li
            key={id}
            role="treeitem"
            data-id={id}
            aria-level={row.level}
            aria-setsize={row.siblings}
            aria-posinset={row.place}
            aria-expanded={parent ? !closed.has(id) : undefined}
            aria-selected={focused === id}
            tabIndex={focused === id ? 0 : -1}
            style={{ paddingLeft: `${12 + (row.level - 1) * 20}px` }}
            onFocus={() => setFocused(id)}>
            <div class="plan-head">
              <button class="twig" tabIndex={-1} aria-hidden="true" onClick={() => toggle(id, !closed.has(id))}>
                {parent ? (closed.has(id) ? '▸' : '▾') : '·'}
              </button>
              <b>{node.name}</b>
              {row.time > 0 && (
                <span class="plan-bar" title={`${kind}: ${amount(row.time, 'ns')}`}>
                  <i style={{ width: `${(100 * row.time) / longest}%` }} />
                </span>
              )}
              <span class="quiet plan-text" title={node.text}>
                {node.text !== node.name && node.text}
              </span>
            </div>
            {node.metrics?.some(({ value }) => value) && (
              <div class="plan-metrics">
                {node.metrics
                  .filter(({ value }) => value)
                  .map(({ name, value, unit }) => (
                    <span key={name} title={exact(value, unit)}>
                      <span class="quiet">{name}</span> {amount(value, unit)}
                    </span>
                  ))}
              </div>
            )}
          </li>
        );
      })}
    </ul>
  );
}
