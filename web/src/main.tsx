// SPDX-License-Identifier: Apache-2.0
import { render } from 'preact';
import { decodeReport, ReportError } from './data/decode.ts';
import { Model } from './data/model.ts';
import { followHash } from './state/follow_hash.ts';
import { Store, StoreContext } from './state/store.ts';
import { App } from './views/app.tsx';
import './style/page.css';

async function start(): Promise<void> {
  const host = document.getElementById('app')!;
  const data = document.getElementById('sparkprof-data');
  performance.mark('sparkprof-start');
  try {
    const report = await decodeReport(data?.textContent ?? '');
    // the text can be large and is no longer needed
    data?.replaceChildren();
    performance.mark('sparkprof-decoded');
    const store = new Store(new Model(report));
    performance.mark('sparkprof-indexed');
    followPreferences(store);
    document.title = `${report.application.name} · sparkprof`;
    host.replaceChildren();
    render(
      <StoreContext.Provider value={store}>
        <App />
      </StoreContext.Provider>,
      host,
    );
    performance.mark('sparkprof-shown');
  } catch (error) {
    const known = error instanceof ReportError;
    const page = document.createElement('main');
    page.className = 'broken';
    const head = document.createElement('h1');
    head.textContent = 'Cannot show the report';
    const message = document.createElement('p');
    message.setAttribute('role', 'alert');
    message.textContent = known ? error.message : String(error);
    page.append(head, message);
    host.replaceChildren(page);
    if (!known) throw error;
  }
}

function followPreferences(store: Store): void {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  store.systemDark.value = dark.matches;
  dark.addEventListener('change', () => {
    store.systemDark.value = dark.matches;
  });
  const { startTab, startView } = store.model.report;
  if (startView && !location.hash) history.replaceState(null, '', `#${startView}`);
  followHash(store);
  if (startTab && !location.hash) store.update({ tab: startTab });
}

void start();
