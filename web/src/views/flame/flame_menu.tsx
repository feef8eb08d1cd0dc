// SPDX-License-Identifier: Apache-2.0
import type { Transform } from '../../analysis/flame/transforms.ts';
import { useEffect, useRef } from 'preact/hooks';
import { toCollapsed } from '../../analysis/flame/collapsed.ts';
import { useStore } from '../../state/store.ts';
import { copyText } from '../copy.ts';
import { labelName } from './flame_path.tsx';
import { escapeRegex } from '../text.ts';

export interface MenuPlace {
  row: number;
  x: number;
  y: number;
  callers?: boolean;
}

export function FlameMenu({ place, close }: { place: MenuPlace; close(): void }) {
  const store = useStore();
  const menu = useRef<HTMLDivElement>(null);
  const flame = store.flame.value;
  const { layout } = (place.callers && flame.callers) || flame.main;
  const name = place.row < layout.count ? labelName(store.labelNames, layout.label[place.row]!) : '';
  useEffect(() => {
    menu.current?.querySelector('button')?.focus();
    const outside = (event: PointerEvent) => {
      if (!menu.current?.contains(event.target as Node)) close();
    };
    window.addEventListener('pointerdown', outside);
    return () => window.removeEventListener('pointerdown', outside);
  }, []);
  const transform = (kind: Transform['kind']) => () => store.update({ transforms: [...store.view.value.transforms, { kind, name }] });
  const items: [string, () => void][] = [
    ['Zoom in', () => !place.callers && store.update({ zoom: place.row })],
    ['Focus on this function', transform('focus')],
    ['Hide this function', transform('hide')],
    ['Collapse recursion', transform('collapse')],
    ['Callers and callees', () => store.update({ sandwich: name, reversed: false })],
    ['Search for this function', () => store.update({ selection: { ...store.view.value.selection, search: `^${escapeRegex(name)}$` } })],
    ['Copy name', () => void copyText(name)],
    ['Copy as collapsed stacks', () => void copyText(toCollapsed(layout, place.row, (label) => labelName(store.labelNames, label)))],
  ];
  const onKey = (event: KeyboardEvent) => {
    const buttons = [...menu.current!.querySelectorAll('button')];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    if (event.key === 'Escape' || event.key === 'Tab') close();
    else if (event.key === 'ArrowDown') buttons[(at + 1) % buttons.length]?.focus();
    else if (event.key === 'ArrowUp') buttons[(at + buttons.length - 1) % buttons.length]?.focus();
    else return;
    event.preventDefault();
  };
  const style = {
    left: `${Math.min(place.x, window.innerWidth - 260)}px`,
    top: `${Math.min(place.y, window.innerHeight - items.length * 28 - 48)}px`,
  };
  return (
    <div class="menu" ref={menu} role="menu" aria-label={`Menu of ${name}`} style={style} onKeyDown={onKey}>
      <div class="menu-title" title={name}>
        {name}
      </div>
      {items.map(([label, action]) => (
        <button
          key={label}
          role="menuitem"
          onClick={() => {
            action();
            close();
          }}>
          {label}
        </button>
      ))}
    </div>
  );
}
