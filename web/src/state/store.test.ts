// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { smallModel } from '../../tests/small_report.ts';
import { pathTo } from '../analysis/flame/flame_layout.ts';
import { Store } from './store.ts';

describe('a store whose data are replaced', () => {
  const early = smallModel([
    { stack: 'a;x', weight: 30 },
    { stack: 'a;y', weight: 10 },
  ]);
  const later = smallModel([
    { stack: 'b;z', weight: 90 },
    { stack: 'a;y', weight: 60 },
    { stack: 'a;x', weight: 30 },
  ]);
  const nameOf = (store: Store, row: number) => store.labelNames[store.flame.value.main.layout.label[row]!];
  const rowNamed = (store: Store, name: string) =>
    [...store.flame.value.main.layout.label].findIndex((label, i) => i > 0 && store.labelNames[label] === name);
  const zoomTo = (name: string) => {
    const store = new Store(early);
    store.view.value = { ...store.view.value, tab: 'stages', zoom: rowNamed(store, name) };
    return store;
  };

  it('keeps its view and zooms into the same frame', () => {
    const store = zoomTo('x');
    const before = store.view.value.zoom;
    store.replaceModel(later);
    expect(store.view.value.tab).toBe('stages');
    expect(store.view.value.zoom).not.toBe(before);
    expect(nameOf(store, store.view.value.zoom)).toBe('x');
    expect(store.flame.value.main.layout.total[store.view.value.zoom]).toBe(30);
  });

  it('zooms into what is left of the path when the frame is gone', () => {
    const store = zoomTo('y');
    store.replaceModel(smallModel([{ stack: 'a;x', weight: 5 }]));
    expect(nameOf(store, store.view.value.zoom)).toBe('a');
    store.replaceModel(smallModel([{ stack: 'q', weight: 5 }]));
    expect(store.view.value.zoom).toBe(0);
    expect(pathTo(store.flame.value.main.layout, 0)).toEqual([0]);
  });
});
