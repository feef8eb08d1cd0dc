# SPDX-License-Identifier: Apache-2.0
"""Chrome's trace events as sparkprof reads them, compared with a reader of its own: written from the "Trace Event Format", slow and obvious."""

import collections
import json
import random

from run_case import PROGRAM
from support import TestCase, execute, stacks_of


def calls_of(events):
    """(begin, end, position in the file, name) of the calls of one thread."""
    calls, stack = [], []
    last = max(event["ts"] + event.get("dur", 0) for event in events)
    marks = [(event["ts"], position, event) for position, event in enumerate(events)]
    for time, position, event in sorted(marks, key=lambda mark: mark[:2]):
        if event["ph"] == "X":
            calls.append((time, time + event["dur"], position, event["name"]))
        elif event["ph"] == "B":
            stack.append((time, position, event["name"]))
        else:
            named = [depth for depth, call in enumerate(stack) if event.get("name", call[2]) == call[2]]
            while named and len(stack) > named[-1]:
                begin, opened, name = stack.pop()
                calls.append((begin, time, opened, name))
    return calls + [(begin, last, opened, name) for begin, opened, name in stack]


def expected_stacks(text):
    """Nanoseconds by stack: of each moment, the calls that are open, longest first where they begin together."""
    trace = json.loads(text)
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    threads = collections.defaultdict(list)
    for event in events:
        if event.get("ph") in ("B", "E", "X"):
            threads[str(event.get("pid")), str(event.get("tid"))].append(dict(event, ts=float(event["ts"])))
    stacks = collections.Counter()
    for events in threads.values():
        calls = sorted(calls_of(events), key=lambda call: (call[0], -call[1], call[2]))
        moments = sorted({time for call in calls for time in call[:2]})
        for begin, end in zip(moments, moments[1:]):
            stack = [name for first, last, _, name in calls if first <= begin and end <= last]
            if stack:
                stacks[";".join(stack)] += round((end - begin) * 1000)
    return +stacks


class Tracer:
    """Writes the events of random nested calls."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def events(self, threads):
        events = []
        for thread in range(threads):
            place = {"pid": self.random.choice([1, "1"]), "tid": self.random.choice([thread, f"worker-{thread}"])}
            own = []
            for begin in range(0, 3000, 1000):
                self.call(begin, begin + self.random.randrange(1, 1000), 0, own)
            if self.random.random() < 0.5:
                own.append({"ph": "B", "name": "unclosed", "ts": 3000})
                own.append({"ph": "X", "name": "leaf", "ts": 3000 + self.random.randrange(5), "dur": 7})
            # Events come in any order of time, those of one time in their order.
            own = [own[i] for i in sorted(range(len(own)), key=lambda i: own[i]["ts"])]
            groups = collections.defaultdict(list)
            for event in own:
                groups[event["ts"]].append(dict(event, **place))
            groups = list(groups.values())
            if self.random.random() < 0.5:
                self.random.shuffle(groups)
            events += [event for group in groups for event in group]
        events.insert(self.random.randrange(len(events)), {"ph": "C", "name": "counter", "ts": 5, "args": {"x": "]}"}})
        return events

    def call(self, begin, end, depth, events):
        name = f"{self.random.choice('abcde')}{depth}"
        kind = self.random.randrange(3)
        if kind == 0:
            events.append({"ph": "X", "name": name, "ts": begin, "dur": end - begin})
        else:
            events.append({"ph": "B", "name": name, "ts": begin})
        at = begin + self.random.choice([0, 1])
        while depth < 5 and at < end and self.random.random() < 0.7:
            last = self.random.randrange(at, end) + 1
            if (at, last) != (begin, end):
                self.call(at, last, depth + 1, events)
            at = last + self.random.choice([0, 1, 10])
        if kind:
            events.append({"ph": "E", "ts": end} if kind == 1 else {"ph": "E", "name": name, "ts": end})


class TraceEventsTest(TestCase):
    def read(self, text):
        source, target = self.folder / "trace.json", self.folder / "out.folded"
        source.write_text(text)
        execute(PROGRAM, "convert", source, "-o", target)
        return stacks_of(target.read_text())

    def test_random_traces_have_the_stacks_of_the_slow_reader(self):
        for seed in range(60):
            tracer = Tracer(seed)
            events = tracer.events(threads=1 + seed % 4)
            text = json.dumps(events if seed % 2 else {"a": [{"}": "]"}], "traceEvents": events, "displayTimeUnit": "ns"})
            with self.subTest(seed=seed):
                self.assertEqual(self.read(text), expected_stacks(text))

    def test_times_may_be_text_or_have_digits_behind_the_point(self):
        events = [{"ph": "X", "name": "a", "ts": "1.5", "dur": 2.25}, {"ph": "B", "name": "b", "ts": 2}, {"ph": "E", "ts": "2.125"}]
        self.assertEqual(self.read(json.dumps(events)), {"a": 2125, "a;b": 125})
