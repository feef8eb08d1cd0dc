// SPDX-License-Identifier: Apache-2.0
import { linkTo } from '../links.ts';
import type { Side, SideName } from './compare_sides.ts';
import { DraftInput } from '../draft_input.tsx';
import { setQuery } from '../query.ts';
import { fromInput, toInput } from '../times.ts';

/** The sides of a comparison of groups. */
export function ComparedRanges({ sides, swap }: { sides: [Side, Side]; swap: string }) {
  return (
    <section class="compare-summary" aria-label="The two sides">
      <a href={swap} title="Exchange the sides">
        ⇄ swap
      </a>
      {sides.map((side, at) => (
        <p key={at}>
          <b>{at === 0 ? 'Selected' : 'Baseline'}</b>{' '}
          {side.kind === 'group' ? (
            <CompareRange side={side} name={at === 0 ? 'a' : 'b'} />
          ) : (
            <a href={linkTo.application(side.id)}>{side.id}</a>
          )}
        </p>
      ))}
    </section>
  );
}

/** The group and the time range of one side; both can be changed here. */
function CompareRange({ side, name }: { side: Side & { kind: 'group' }; name: SideName }) {
  const of = name === 'a' ? '' : ' of the baseline';
  const moment = (which: 'From' | 'To', value: number | undefined) => (
    <input
      type="datetime-local"
      aria-label={`${which}${of}`}
      value={value === undefined ? '' : toInput(value)}
      onChange={(event) => setQuery({ [`${name}${which}`]: fromInput(event.currentTarget.value) })}
    />
  );
  const range = new URLSearchParams();
  if (side.from !== undefined) range.set('from', String(side.from));
  if (side.to !== undefined) range.set('to', String(side.to));
  return (
    <span class="range">
      <DraftInput label={`Group${of}`} value={side.group} commit={(text) => text && setQuery({ [`${name}Group`]: text })} />
      {moment('From', side.from)} – {moment('To', side.to)}
      <a href={`${linkTo.group(side.group)}?${range}`}>open</a>
    </span>
  );
}
