// SPDX-License-Identifier: Apache-2.0
import type { ComponentProps } from 'preact';
import type { Selection } from '../data/contract.ts';
import { useStore } from '../state/store.ts';
import type { View } from '../state/view.ts';

/** A click with one of these means another tab or window. */
export const isElsewhere = (event: MouseEvent) => event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;

type Attributes = Omit<ComponentProps<'a'>, 'href' | 'onClick' | 'role'> & { role?: 'tab' };

/** A link that can be copied and opened in another tab; a plain click calls `go`, if there is one. */
export function PageLink({ go, ...rest }: { href: string; go?(): void } & Attributes) {
  return (
    <a
      {...rest}
      onClick={
        go &&
        ((event) => {
          if (isElsewhere(event)) return;
          event.preventDefault();
          go();
        })
      }
    />
  );
}

/** A link to another view of the same report. */
export function ViewLink({ view, ...rest }: { view: Partial<View> } & Attributes) {
  const store = useStore();
  return <PageLink {...rest} href={store.hrefOf(view)} go={() => store.update(view, true)} />;
}

/** A link to a selection. A plain click shows it where it has samples. */
export function SelectionLink({ selection, ...rest }: { selection: Selection } & Attributes) {
  const store = useStore();
  return (
    <PageLink
      class="link"
      {...rest}
      href={store.hrefOf({ tab: store.tabOfSelections, selection, versus: null })}
      go={() => store.goTo(selection)}
    />
  );
}
