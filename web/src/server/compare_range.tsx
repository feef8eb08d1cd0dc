// SPDX-License-Identifier: Apache-2.0
import { linkTo } from './chrome.tsx';
import type { Side, SideName } from './compare_sides.ts';
import { DraftInput } from './draft_input.tsx';
import { setQuery } from './query.ts';
import { fromInput, toInput } from './times.ts';

/** The group and the time range of one side; both can be changed here. */
export function CompareRange({ side, name }: { side: Side & { kind: 'group' }; name: SideName }) {
  const moment = (which: 'From' | 'To', value: number | undefined) => (
    <input
      type="datetime-local"
      aria-label={`${which} of ${name.toUpperCase()}`}
      value={value === undefined ? '' : toInput(value)}
      onChange={(event) => setQuery({ [`${name}${which}`]: fromInput(event.currentTarget.value) })}
    />
  );
  const range = new URLSearchParams();
  if (side.from !== undefined) range.set('from', String(side.from));
  if (side.to !== undefined) range.set('to', String(side.to));
  return (
    <span class="range">
      <DraftInput
        label={`Group of ${name.toUpperCase()}`}
        value={side.group}
        commit={(text) => text && setQuery({ [`${name}Group`]: text })}
      />
      {moment('From', side.from)} – {moment('To', side.to)}
      <a href={`${linkTo.group(side.group)}?${range}`}>open</a>
    </span>
  );
}
