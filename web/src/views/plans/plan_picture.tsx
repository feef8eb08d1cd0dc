// SPDX-License-Identifier: Apache-2.0
// A physical plan as a picture: nodes with their rows and time, what each stage runs on one ground, data flowing up.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isExchange, isSampled, layOutPlan, type GraphNode, type PlanGraph } from '../../analysis/plan_graph.ts';
import type { PlanNode } from '../../data/contract.ts';
import { amount, share } from '../../state/format.ts';
import { usePart } from '../../state/store.ts';
import { plural } from '../text.ts';
import { PlanNodeDetails } from './plan_node_details.tsx';

const box = { width: 240, height: 60, gapX: 96, gapY: 44, margin: 16, top: 28 };
const leftOf = ({ column }: GraphNode) => box.margin + column * (box.width + box.gapX);
const topOf = ({ row }: GraphNode) => box.top + row * (box.height + box.gapY);

/** Scale of the picture; smaller text is not legible. */
const smallest = 0.6;

/** "Exchange hashpartitioning(id, 40)" without the name shown above it */
const restOf = ({ name, text = '' }: PlanNode) => (text.startsWith(name) ? text.slice(name.length).trim() : text);

/** The output of an operator: "10.0 M rows · 99.2 MiB". */
function flowOf({ rows, node: { metrics = [] } }: GraphNode): string {
  const bytes = metrics.find(({ name, value }) => value && sizes.test(name))?.value;
  return [rows !== null && plural(rows, 'row'), bytes && amount(bytes, 'bytes')].filter(Boolean).join(' · ');
}

/** Metrics of the size of an output, as exchanges and scans have. */
const sizes = /^(shuffle bytes written|data size|size of files read|data returned from Python workers)/;

function describe({ node, stage, rows }: GraphNode): string {
  const parts = [node.name];
  if (stage >= 0) parts.push(`stage ${stage}`);
  if (rows !== null) parts.push(plural(rows, 'row'));
  if (node.cpuNs !== undefined) parts.push(`${amount(node.cpuNs, 'ns')} CPU`);
  if (node.elapsedNs !== undefined) parts.push(`${amount(node.elapsedNs, 'ns')} elapsed`);
  if (node.gpuNs !== undefined) parts.push(`${amount(node.gpuNs, 'ns')} GPU`);
  if (node.nativeNs !== undefined) parts.push(`${amount(node.nativeNs, 'ns')} native`);
  if (node.inclusiveNs !== undefined) parts.push(`${amount(node.inclusiveNs, 'ns')} with operators below`);
  if (node.fallback) parts.push('left to Spark');
  if (node.waitNs) parts.push(`${amount(node.waitNs, 'ns')} waiting`);
  return parts.join(', ');
}

export function PlanPicture({ plan, sql }: { plan: PlanNode; sql: number }) {
  const graph = useMemo(() => layOutPlan(plan), [plan]);
  const { nodes } = graph;
  const longest = nodes.reduce((most, { time }) => Math.max(most, time), 0);
  const whole = nodes.reduce((sum, { time }) => sum + time, 0) || 1;
  const [node, setNode] = usePart(`node.${sql}`);
  const slowest = Math.max(
    0,
    nodes.findIndex(({ time }) => time === longest),
  );
  const selected = nodes[Number(node)] && node !== '' ? Number(node) : slowest;
  const setSelected = (at: number) => setNode(at === slowest ? '' : String(at));
  const [fit, setFit] = usePart('fit');
  const fits = fit !== '';
  const host = useRef<HTMLDivElement>(null);
  const width = 2 * box.margin + graph.columns * (box.width + box.gapX) - box.gapX;
  const height = box.top + box.margin + graph.rows * (box.height + box.gapY) - box.gapY;
  const [room, setRoom] = useState(width);
  useLayoutEffect(() => setRoom(host.current!.clientWidth - 2), [fits]);
  const scale = fits ? Math.max(smallest, Math.min(1, room / width)) : 1;
  // The node that it opens with may lie far down.
  useLayoutEffect(
    () => host.current?.scrollTo(scale * leftOf(nodes[selected]!) - box.width, scale * topOf(nodes[selected]!) - 2 * box.height),
    [scale],
  );
  const onKey = (event: KeyboardEvent) => {
    const to = neighbor(graph, selected, event.key);
    if (to === undefined) return;
    event.preventDefault();
    setSelected(to);
    host.current?.querySelector<HTMLElement>(`[data-node="${to}"]`)?.focus();
  };
  return (
    <div class="plan-columns">
      <div class="plan-view">
        <div class="plan-tools">
          <span class="quiet">
            Data flows upward; each shaded area is one stage. The color is the own cost of each operator:{' '}
            {isSampled(plan) ? 'CPU time and waiting' : 'elapsed time measured by its engine'}.
            {nodes.some(({ node }) => node.fallback) && ' Dashed boxes are left to Spark.'}
          </span>
          <button class="toggle" aria-pressed={fits} onClick={() => setFit(fits ? '' : '1')}>
            Fit width
          </button>
        </div>
        <div class="plan-scroll" ref={host}>
          <div style={{ width: `${width * scale}px`, height: `${height * scale}px` }}>
            <div
              class="plan-canvas"
              role="group"
              aria-label="Physical plan"
              onKeyDown={onKey}
              style={{ width: `${width}px`, height: `${height}px`, transform: `scale(${scale})` }}>
              <Ground graph={graph} width={width} height={height} />
              {nodes.map((one, at) => (
                <button
                  key={at}
                  class={one.node.fallback ? 'plan-node fallback' : 'plan-node'}
                  data-node={at}
                  aria-pressed={at === selected}
                  aria-description={describe(one)}
                  tabIndex={at === selected ? 0 : -1}
                  title={one.node.text || one.node.name}
                  onClick={() => setSelected(at)}
                  style={{
                    left: `${leftOf(one)}px`,
                    top: `${topOf(one)}px`,
                    width: `${box.width}px`,
                    height: `${box.height}px`,
                    background: `color-mix(in srgb, var(--heat) ${Math.round(100 * Math.sqrt(one.time / (longest || 1)))}%, var(--background))`,
                  }}>
                  <span class="plan-title">
                    <b>{one.node.name}</b>
                    {one.time > 0 && <span class="plan-time">{amount(one.time, 'ns')}</span>}
                  </span>
                  <span class="plan-text">{restOf(one.node) || '\u00a0'}</span>
                  <span class="plan-text">{one.time > 0 && `${share(one.time / whole)} of the plan`}</span>
                </button>
              ))}
            </div>
          </div>
        </div>
      </div>
      <PlanNodeDetails key={selected} one={nodes[selected]!} sql={sql} />
    </div>
  );
}

function neighbor({ nodes }: PlanGraph, from: number, key: string): number | undefined {
  const { parent, children } = nodes[from]!;
  const siblings = nodes[parent]?.children ?? [];
  const place = siblings.indexOf(from);
  switch (key) {
    case 'ArrowUp':
      return parent >= 0 ? parent : undefined;
    case 'ArrowDown':
      return children[0];
    case 'ArrowRight':
      return siblings[place + 1] ?? children[1];
    case 'ArrowLeft':
      return siblings[place - 1];
    case 'Home':
      return 0;
    case 'End':
      return nodes.length - 1;
    default:
      return undefined;
  }
}

/** The stages' grounds and the arrows between nodes. */
function Ground({ graph: { nodes }, width, height }: { graph: PlanGraph; width: number; height: number }) {
  const order = [...new Set(nodes.map(({ stage }) => stage))].filter((stage) => stage >= 0);
  const together = (one: GraphNode) => one.parent >= 0 && one.stage >= 0 && nodes[one.parent]!.stage === one.stage;
  const pad = 11;
  return (
    <svg width={width} height={height} aria-hidden="true" class="plan-ground">
      <defs>
        <marker id="plan-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
          <path d="M0 0 8 4 0 8z" />
        </marker>
      </defs>
      {order.map((stage, place) => (
        <g key={stage} class={`plan-stage tint${place % 2}`}>
          {nodes.map(
            (one, at) =>
              one.stage === stage && (
                <rect
                  key={at}
                  x={leftOf(one) - pad}
                  y={topOf(one) - pad}
                  width={box.width + 2 * pad}
                  height={box.height + 2 * pad}
                  rx="6"
                />
              ),
          )}
          {nodes.map((one, at) => one.stage === stage && together(one) && <path key={at} d={joint(one, nodes[one.parent]!, pad)} />)}
        </g>
      ))}
      {nodes.map(
        (one, at) =>
          one.stage >= 0 &&
          !together(one) && (
            <text key={at} x={leftOf(one) - pad + 4} y={topOf(one) - pad - 4} class="plan-label">
              Stage {one.stage}
            </text>
          ),
      )}
      {nodes.map(
        (one, at) =>
          one.parent >= 0 && (
            <text key={`t${at}`} x={leftOf(one) + box.width / 2 + 8} y={topOf(one) - box.gapY / 2 + 5} class="plan-flow">
              {flowOf(one)}
            </text>
          ),
      )}
      {nodes.map(
        (one, at) =>
          one.parent >= 0 && (
            <path
              key={at}
              d={edge(one, nodes[one.parent]!)}
              marker-end="url(#plan-arrow)"
              class={isExchange(one.node) ? 'plan-edge between' : 'plan-edge'}
            />
          ),
      )}
    </svg>
  );
}

/** Joins the grounds of a node and of the one above it. */
function joint(one: GraphNode, parent: GraphNode, pad: number): string {
  const left = Math.min(leftOf(one), leftOf(parent)) - pad;
  const right = leftOf(one) + box.width + pad;
  const top = one.column === parent.column ? topOf(parent) + box.height : topOf(parent) - pad;
  const start = one.column === parent.column ? left : leftOf(one) - pad;
  const corner = one.column === parent.column ? '' : `M${left} ${topOf(parent) - pad}H${right}v${box.height + 2 * pad}H${left}z`;
  return `M${start} ${top}H${right}V${topOf(one)}H${start}z${corner}`;
}

function edge(one: GraphNode, parent: GraphNode): string {
  const middle = leftOf(one) + box.width / 2;
  if (one.column === parent.column) return `M${middle} ${topOf(one)}V${topOf(parent) + box.height + 1}`;
  return `M${middle} ${topOf(one)}V${topOf(parent) + box.height / 2}H${leftOf(parent) + box.width + 1}`;
}
