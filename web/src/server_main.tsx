// SPDX-License-Identifier: Apache-2.0
// The pages of `sparkprof serve`: one script for all, chosen by the path.
import { render } from 'preact';
import { pageOf } from './server/pages.tsx';
import './style/page.css';
import './style/server.css';

const host = document.getElementById('app')!;
host.replaceChildren();
render(pageOf(location.pathname), host);
