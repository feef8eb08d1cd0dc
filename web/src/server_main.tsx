// SPDX-License-Identifier: Apache-2.0
// The pages of `sparkprof serve`: one script for all, chosen by the path.
import { render } from 'preact';
import { FleetServerPage } from './fleet/server_page.tsx';
import { pageOf } from './server/pages.tsx';
import './style/page.css';
import './style/server.css';
import './style/fleet.css';

const host = document.getElementById('app')!;
host.replaceChildren();
// The fleet's folder builds on the server's, so that its page is none of those in pages.tsx.
render(location.pathname === '/fleet' ? <FleetServerPage /> : pageOf(location.pathname), host);
