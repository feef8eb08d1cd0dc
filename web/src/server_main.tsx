// SPDX-License-Identifier: Apache-2.0
// The pages of `sparkprof serve`, chosen by the path: one script for those that many open, and one for the others.
import { render } from 'preact';
import { pageOf } from './server/pages.tsx';
import './style/page.css';
import './style/server.css';

const host = document.getElementById('app')!;
const path = location.pathname;
const page = pageOf(path) ?? import('./late_pages.tsx').then(({ latePageOf }) => latePageOf(path));
Promise.resolve(page).then((content) => {
  host.replaceChildren();
  render(content, host);
});
