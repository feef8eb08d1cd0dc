// SPDX-License-Identifier: Apache-2.0
export function StatusMark({ status }: { status: string }) {
  if (status === 'FAILED')
    return (
      <span class="mark bad" title="failed">
        ✕{' '}
      </span>
    );
  if (status === 'RUNNING' || status === 'ACTIVE')
    return (
      <span class="mark warn" title="no end event in this recording">
        …{' '}
      </span>
    );
  if (status === 'SKIPPED')
    return (
      <span class="quiet" title="Skipped: output reused">
        skipped{' '}
      </span>
    );
  if (status === 'PENDING') return <span class="quiet">pending </span>;
  return null;
}
