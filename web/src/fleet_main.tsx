// SPDX-License-Identifier: Apache-2.0
// The page of `sparkprof fleet report`: what many applications cost.
import { render } from 'preact';
import type { FleetData } from './fleet/contract.ts';
import { FleetPage } from './fleet/fleet_page.tsx';
import { Fleet } from './fleet/totals.ts';
import './style/page.css';
import './style/server.css';
import './style/fleet.css';

const host = document.getElementById('app')!;
const place = document.getElementById('sparkprof-data')!;
const data = JSON.parse(place.textContent ?? '') as FleetData;
// the text can be large and is no longer needed
place.replaceChildren();
host.replaceChildren();
render(<FleetPage fleet={new Fleet(data)} />, host);
performance.mark('sparkprof-shown');
