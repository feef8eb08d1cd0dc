// SPDX-License-Identifier: Apache-2.0
import { useMemo } from 'preact/hooks';
import { failureChain } from '../../analysis/findings/failure_chain.ts';
import type { Finding } from '../../data/contract.ts';
import { clock } from '../../state/format.ts';
import { useStore } from '../../state/store.ts';
import { LongName } from '../long_name.tsx';
import { withoutFolders } from '../text.ts';

/** The chain of causes that led to a failure, in order of time. */
export function FailurePicture({ finding }: { finding: Finding }) {
  const store = useStore();
  const links = useMemo(() => failureChain(store.model, finding), [store.model, finding]);
  if (links.length === 0) return null;
  return (
    <figure class="picture">
      <ol class="chain" aria-label="Chain of causes">
        {links.map(({ at, text, detail }, i) => (
          <li key={i}>
            <span class="chain-time quiet" title={at === null ? '' : store.dateAt(at)}>
              {at === null ? '' : clock(at)}
            </span>
            <b>{withoutFolders(text)}</b>
            {detail && (
              <span class="quiet">
                <LongName text={detail} />
              </span>
            )}
          </li>
        ))}
      </ol>
    </figure>
  );
}
