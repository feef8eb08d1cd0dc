// SPDX-License-Identifier: Apache-2.0
// What an address compares: each side is an application, or a time range of a group. The second side is the baseline.
import type { Report } from '../../data/contract.ts';
import { withDefaults } from '../../data/decode.ts';
import { api, ApiError, getData, getReport, part } from '../api.ts';
import { rangeText } from '../times.ts';

export type Side = { kind: 'application'; id: string } | { kind: 'group'; group: string; from?: number; to?: number };
export type SideName = 'a' | 'b';

const number = (text: string | null) => (text && Number.isFinite(Number(text)) ? Number(text) : undefined);

export function sideOf(parameters: URLSearchParams, side: SideName): Side | null {
  const group = parameters.get(`${side}Group`);
  if (group !== null) return { kind: 'group', group, from: number(parameters.get(`${side}From`)), to: number(parameters.get(`${side}To`)) };
  const id = parameters.get(side);
  return id ? { kind: 'application', id } : null;
}

/** The same comparison with the sides exchanged; what belongs to neither stays. */
export function swapped(parameters: URLSearchParams): URLSearchParams {
  const other: Record<string, string> = {
    a: 'b',
    b: 'a',
    aGroup: 'bGroup',
    bGroup: 'aGroup',
    aFrom: 'bFrom',
    bFrom: 'aFrom',
    aTo: 'bTo',
    bTo: 'aTo',
  };
  const result = new URLSearchParams();
  for (const [name, value] of parameters) result.append(other[name] ?? name, value);
  result.sort();
  return result;
}

export function nameOf(side: Side, now: number): string {
  return side.kind === 'application' ? side.id : `${side.group}, ${rangeText(side, now)}`;
}

async function samplesOf(side: Side, event: string, signal: AbortSignal): Promise<Report> {
  if (side.kind === 'application') return (await getReport(api(`/applications/${part(side.id)}/report`), '', signal))!.report;
  try {
    return await getData(api(`/groups/${part(side.group)}/report`, { event, from: side.from, to: side.to }), signal);
  } catch (error) {
    // no samples on one side are an answer, too
    if (error instanceof ApiError && error.status === 404) return withDefaults({});
    throw error;
  }
}

/** The data of both sides. Applications bring all their events, groups the one asked for. */
export async function loadSides([a, b]: [Side, Side], event: string, signal: AbortSignal): Promise<[Report, Report]> {
  return Promise.all([samplesOf(a, event, signal), samplesOf(b, event, signal)]);
}
