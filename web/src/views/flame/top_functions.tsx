// SPDX-License-Identifier: Apache-2.0
// The user's functions with the most time, of the JVM and of Python together.
import { useMemo } from 'preact/hooks';
import { eventOfUserTime, userTime } from '../../analysis/flame/user_functions.ts';
import { nameWithLine } from '../../analysis/flame/function_name.ts';
import { Kind } from '../../data/contract.ts';
import { amount, clocks, exact, share } from '../../state/format.ts';
import { useStore } from '../../state/store.ts';
import { phaseColor } from '../../charts/phase_colors.ts';
import { FunctionName } from './function_name.tsx';
import { RowBar } from '../row_bar.tsx';

const shown = 5;
/** of the samples; a smaller share is a short bar, also where no other is longer */
const noticeable = 0.2;

/** The verdict of a profile without an application. Its place is kept until the graph is drawn. */
export function ProfileVerdict({ painted }: { painted: boolean }) {
  const { model } = useStore();
  const words = useMemo(() => {
    const event = painted && (eventOfUserTime(model) ?? model.report.events[0]);
    if (!event) return '';
    const { whole, functions } = userTime(model, event.id, {});
    const [first] = functions.length > 0 ? functions : userTime(model, event.id, {}, true).functions;
    if (!first) return '';
    const all = amount(whole, event.unit) + (event.unit === 'count' ? ' samples' : ` of ${event.label}`);
    const advice = functions.length > 0 ? '. Make it faster, or call it less' : '';
    return `${all}, ${share(first.weight / whole)} in ${nameWithLine(model, first.label)}${advice}.`;
  }, [model, painted]);
  return <p class="verdict-line">{words}</p>;
}

export function TopFunctions() {
  const store = useStore();
  const { model } = store;
  const event = eventOfUserTime(model);
  const { from, to } = store.selection.value;
  const isWhole = from === undefined && to === undefined;
  const time = useMemo(() => (event ? userTime(model, event.id, { from, to }) : null), [model, event, from, to]);
  const others = useMemo(
    () => (event && time?.functions.length === 0 ? userTime(model, event.id, { from, to }, true).functions : null),
    [time],
  );
  if (!event || !time || (time.whole === 0 && isWhole)) return null;
  const dark = store.dark.value;
  const functions = others ?? time.functions;
  const most = functions[0]?.weight ?? 1;
  return (
    <section class="top-functions" aria-label="Your code">
      <h2>
        Your code{' '}
        <span class="quiet">
          {share(time.user / (time.whole || 1))} of {amount(time.whole, event.unit)}{' '}
          {event.name === 'wall' ? 'of wall-clock samples' : event.unit === 'count' ? 'CPU samples' : 'CPU'}
          {!isWhole && `, ${clocks(from ?? 0, to ?? model.duration)}`}
        </span>
      </h2>
      {time.whole === 0 && <p class="quiet">The selected time has no samples.</p>}
      {others && time.whole > 0 && (
        <p class="quiet">No sample is in a function of yours. Functions of Spark and libraries with the most time:</p>
      )}
      <ol>
        {functions.slice(0, shown).map(({ label, weight }) => (
          <RowBar
            key={label}
            amount={amount(weight, event.unit)}
            part={weight / time.whole}
            length={weight / Math.max(most, noticeable * time.whole)}
            color={phaseColor(others ? 'other' : 'user', dark)}
            tag={model.functions.kind[label] === Kind.Python && 'Python'}
            title={`${model.functions.name[label]}: ${exact(weight, event.unit)}; shows its callers and callees`}
            href={store.hrefOf({
              tab: 'flame',
              selection: { event: event.name, from, to },
              versus: null,
              sandwich: model.functions.name[label]!,
            })}
            go={() => {
              store.goTo(isWhole ? { event: event.name } : { event: event.name, from, to });
              store.update({ sandwich: model.functions.name[label]! });
            }}>
            <FunctionName name={nameWithLine(model, label)} />
          </RowBar>
        ))}
      </ol>
    </section>
  );
}
