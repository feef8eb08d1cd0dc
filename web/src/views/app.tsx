// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef } from 'preact/hooks';
import { hasTime } from '../data/model.ts';
import { useStore } from '../state/store.ts';
import { Header, type HeaderParts } from './header.tsx';
import { Help } from './help.tsx';
import { handleKey, numberedTabs } from './keys.ts';
import { SelectionBar, SelectionTools } from './selection_bar.tsx';
import { tabsOf } from './tabs.ts';
import { TimelinePanel } from './time/timeline_panel.tsx';
import { ViewLink } from './view_link.tsx';

export function App({ lead, mark, more }: HeaderParts) {
  const store = useStore();
  const { report } = store.model;
  const available = tabsOf(report);
  const wanted = store.view.value.tab;
  const current = available.find((tab) => tab.id === wanted) ?? available[0]!;
  const dark = store.dark.value;
  useEffect(() => {
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  }, [dark]);
  useEffect(() => {
    const listener = (event: KeyboardEvent) => handleKey(store, event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, [store]);
  const shown = useRef(current);
  useEffect(() => {
    // tabs that do not fit scroll sideways; and a link at the end of a long page leads to the head of the next one
    if (shown.current !== current) document.getElementById(`tab-${current.id}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    shown.current = current;
  }, [current]);
  const Content = current.view;
  return (
    <>
      <Header lead={lead} mark={mark} more={more} />
      <div class="tab-row">
        <nav class="tabs" aria-label="Views">
          <div role="tablist" aria-label="Views" onKeyDown={moveTab}>
            {available.map((tab, i) => (
              <ViewLink
                key={tab.id}
                role="tab"
                id={`tab-${tab.id}`}
                aria-selected={tab === current}
                tabIndex={tab === current ? 0 : -1}
                aria-controls="content"
                title={i < numberedTabs ? `${tab.label} (${(i + 1) % 10})` : undefined}
                view={{ tab: tab.id }}>
                {tab.label}
              </ViewLink>
            ))}
          </div>
        </nav>
        <SelectionTools uses={current.uses} />
      </div>
      {hasTime(store.model) && <TimelinePanel />}
      <SelectionBar uses={current.uses} />
      <main>
        <div id="content" role="tabpanel" aria-labelledby={`tab-${current.id}`}>
          <Content />
        </div>
      </main>
      {store.help.value && <Help />}
    </>
  );
}

/** Arrow keys walk along the tabs. */
function moveTab(event: KeyboardEvent): void {
  const step = event.key === 'ArrowRight' ? 'nextElementSibling' : event.key === 'ArrowLeft' ? 'previousElementSibling' : null;
  const next = step && document.activeElement?.[step];
  if (!(next instanceof HTMLElement)) return;
  event.preventDefault();
  next.focus();
  next.click();
}
