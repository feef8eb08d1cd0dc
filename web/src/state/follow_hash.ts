// SPDX-License-Identifier: Apache-2.0
import type { Store } from './store.ts';

/** The view is what the address says, now and when the browser goes back. Returns a function that ends this. */
export function followHash(store: Store): () => void {
  const read = () => store.readHash();
  read();
  window.addEventListener('popstate', read);
  window.addEventListener('hashchange', read);
  return () => {
    window.removeEventListener('popstate', read);
    window.removeEventListener('hashchange', read);
  };
}
