// SPDX-License-Identifier: Apache-2.0
// The pages of `sparkprof serve`, chosen by the path: one script for all but the page Fleet.
import { render } from 'preact';
import { pageOf } from './server/pages.tsx';
import './style/page.css';
import './style/server.css';

const host = document.getElementById('app')!;
// The fleet's folder builds on the server's, so that its page is none of those in pages.tsx.
const page =
  location.pathname === '/fleet'
    ? import('./fleet/server_page.tsx').then(({ FleetServerPage }) => <FleetServerPage />)
    : pageOf(location.pathname);
Promise.resolve(page).then((content) => {
  host.replaceChildren();
  render(content, host);
});
