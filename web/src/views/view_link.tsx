// SPDX-License-Identifier: Apache-2.0
import type { ComponentProps } from 'preact';
import type { Selection } from '../data/contract.ts';
import { useStore } from '../state/store.ts';
import type { View } from '../state/view.ts';

/** A click with one of these means another tab or window. */
export const isElsewhere = (event: MouseEvent) => event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;

type Attributes = Omit<ComponentProps<'a'>, 'href' | 'onClick' | 'role'> & { role?: 'tab' };

/** A link to another view of the same report, which can be copied and opened in another tab. */
export function ViewLink({ view, ...rest }: { view: Partial<View> } & Attributes) {
  const store = useStore();
  return (
    <a
      {...rest}
      href={store.hrefOf(view)}
      onClick={(event) => {
        if (isElsewhere(event)) return;
        event.preventDefault();
        store.update(view, true);
      }}
    />
  );
}

/** A link to a selection. A plain click shows it where it has samples. */
export function SelectionLink({ selection, ...rest }: { selection: Selection } & Attributes) {
  const store = useStore();
  const tab = store.model.report.events.length > 0 ? 'flame' : 'stages';
  return (
    <a
      class="link"
      {...rest}
      href={store.hrefOf({ tab, selection, versus: null })}
      onClick={(event) => {
        if (isElsewhere(event)) return;
        event.preventDefault();
        store.goTo(selection);
      }}
    />
  );
}
