// SPDX-License-Identifier: Apache-2.0
export function StatusMark({ status }: { status: string }) {
  if (status === 'failed')
    return (
      <span class="mark bad" title="failed">
        ✕{' '}
      </span>
    );
  if (status === 'running')
    return (
      <span class="mark warn" title="no end event in this recording">
        …{' '}
      </span>
    );
  if (status === 'skipped')
    return (
      <span class="quiet" title="Skipped: output reused">
        skipped{' '}
      </span>
    );
  if (status === 'pending') return <span class="quiet">pending </span>;
  return null;
}
