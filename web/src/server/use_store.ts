// SPDX-License-Identifier: Apache-2.0
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Report } from '../data/contract.ts';
import { Model } from '../data/model.ts';
import { followHash } from '../state/follow_hash.ts';
import { Store } from '../state/store.ts';
import { followTheme } from './theme.ts';

/** A store for `report` that keeps its view when the report is replaced. `prepare` completes the view of the address. */
export function useReportStore(report: Report | null, prepare: (store: Store) => void): Store | null {
  const store = useRef<Store | null>(null);
  const latest = useRef(prepare);
  latest.current = prepare;
  const model = useMemo(() => report && new Model(report), [report]);
  if (model && !store.current) {
    store.current = new Store(model);
    store.current.readHash();
    prepare(store.current);
  }
  useEffect(() => {
    if (!model || !store.current) return;
    if (store.current.model !== model) store.current.replaceModel(model);
    latest.current(store.current);
  }, [model]);
  const there = store.current;
  useEffect(() => {
    if (!there) return undefined;
    const stops = [followHash(there), followTheme(there)];
    latest.current(there);
    return () => stops.forEach((stop) => stop());
  }, [there]);
  return there;
}
