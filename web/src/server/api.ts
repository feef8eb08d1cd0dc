// SPDX-License-Identifier: Apache-2.0
// Requests to the server. A page without a valid token goes to the login and comes back.
import { decodeBytes } from '../data/decode.ts';
import type { Report } from '../data/contract.ts';

const root = '/api/sparkprof/v1';

/** An answer that is not the expected one; the message is the server's. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export function api(path: string, parameters: Record<string, string | number | undefined | null> = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
  }
  return `${root}${path}${query.size > 0 ? `?${query}` : ''}`;
}

export const part = encodeURIComponent;

/** Where a token is entered; the reader comes back to this address. */
export function loginUrl(): string {
  return `/login?${new URLSearchParams({ next: location.pathname + location.search + location.hash })}`;
}

async function problemOf(response: Response): Promise<ApiError> {
  let message = `The server responded with status ${response.status}.`;
  try {
    const body = (await response.json()) as { error?: { message?: string } };
    if (body.error?.message) message = body.error.message;
  } catch {
    // not one of our answers; the status has to do
  }
  return new ApiError(response.status, message);
}

export async function request(url: string, options: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: 'same-origin', ...options });
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    throw new ApiError(0, 'The server does not respond.');
  }
  if (response.status === 401) location.assign(loginUrl());
  if (!response.ok && response.status !== 304) throw await problemOf(response);
  return response;
}

export async function getJson<T>(url: string, signal?: AbortSignal): Promise<T> {
  return (await (await request(url, { signal })).json()) as T;
}

export interface Versioned {
  report: Report;
  etag: string;
}

/** The data of a report's page; null if it still has this ETag. */
export async function getReport(url: string, etag = '', signal?: AbortSignal): Promise<Versioned | null> {
  const response = await request(url, { signal, cache: etag ? 'no-store' : 'default', headers: etag ? { 'If-None-Match': etag } : {} });
  if (response.status === 304) return null;
  return { report: decodeBytes(await response.arrayBuffer()), etag: response.headers.get('etag') ?? '' };
}

/** The data of the page of a group's flame graph. */
export async function getData(url: string, signal?: AbortSignal): Promise<Report> {
  return decodeBytes(await (await request(url, { signal })).arrayBuffer());
}
