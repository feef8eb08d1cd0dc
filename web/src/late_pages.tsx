// SPDX-License-Identifier: Apache-2.0
// Pages of the server that few open: their script of their own is loaded with the first of them.
import type { VNode } from 'preact';
import { FleetServerPage } from './fleet/server_page.tsx';
import { ComparePage } from './server/compare/compare_page.tsx';
import { InfrastructurePage } from './server/infrastructure_page.tsx';
import { LongevityPage } from './server/longevity_page.tsx';
import { NotFound, pageFrom } from './server/pages.tsx';
import { RunPage } from './server/run_page.tsx';
import { RunsPage } from './server/runs_page.tsx';

export const latePageOf = (path: string): VNode =>
  pageFrom(
    [
      [/^\/compare$/, () => <ComparePage />],
      [/^\/fleet$/, () => <FleetServerPage />],
      [/^\/runs$/, () => <RunsPage />],
      [/^\/runs\/([^/]+)$/, (id) => <RunPage id={id} />],
      [/^\/longevity$/, () => <LongevityPage />],
      [/^\/infrastructure$/, () => <InfrastructurePage />],
    ],
    path,
  ) ?? <NotFound path={path} />;
