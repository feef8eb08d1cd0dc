// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "model/segment/column_reader.h"
#include "model/segment/segment_parts.h"

namespace sparkprof {

// Field numbers are those of segment.proto, in its order.

// Strings, frames and stacks get their IDs by position and are not hashed: most are copied into tables that hash them.
Result<void> DecodeStrings(MessageReader message, StringTable* strings) {
  size_t position = 0;
  while (message.next()) {
    if (message.tag() != 1) {
      message.skip();
      continue;
    }
    const protozero::data_view text = message.get_view();
    if (position++ > 0) {
      strings->Append({text.data(), text.size()});
    } else if (text.size() > 0) {
      return Fail("strings row 0: not empty");
    }
  }
  return {};
}

Result<void> DecodeFrames(MessageReader message, size_t string_count, FrameTable* frames) {
  ColumnReader<Frame> columns("frames", FirstRow::kReserved);
  const auto read = [&](const char* column, const ColumnRange& range, auto member) {
    return [&, column, range, member] { columns.Read(column, message.get_packed_uint64(), range, member); };
  };
  const ColumnRange strings = RowsOf(string_count);
  ReadFields(&message, read("kind", UpTo(FrameKind::kSynthetic), &Frame::kind), read("name", strings, &Frame::name),
             read("file", strings, &Frame::file), read("line", k32Bits, &Frame::line));
  Result<std::vector<Frame>> rows = columns.Finish(4);
  if (!rows) return tl::unexpected(rows.error());
  *frames = FrameTable(std::move(*rows));
  return {};
}

Result<void> DecodeStacks(MessageReader message, size_t frame_count, StackTable* stacks) {
  using Node = StackTable::Node;
  ColumnReader<Node> columns("stacks", FirstRow::kReserved);
  ColumnRange frames = RowsOf(frame_count);
  frames.least = 1;  // 0 is no frame
  ReadFields(
      &message, [&] { columns.Read("parent", message.get_packed_uint64(), k32Bits, &Node::parent); },
      [&] { columns.Read("frame", message.get_packed_uint64(), frames, &Node::frame); });
  Result<std::vector<Node>> rows = columns.Finish(2);
  if (!rows) return tl::unexpected(rows.error());
  for (size_t row = 1; row < rows->size(); ++row) {
    const StackId parent = (*rows)[row].parent;
    if (const ColumnRange before = RowsOf(row); !before.Contains(parent))
      return FailOutOfRange("stacks", row, "parent", std::to_string(parent), before);
  }
  *stacks = StackTable(std::move(*rows));
  return {};
}

Result<std::vector<Thread>> DecodeThreads(MessageReader message, size_t string_count) {
  ColumnReader<Thread> columns("threads");
  ReadFields(
      &message, [&] { columns.Read("tid", message.get_packed_int64(), kAnyValue, &Thread::tid); },
      [&] { columns.Read("name", message.get_packed_uint64(), RowsOf(string_count), &Thread::name); },
      [&] { columns.ReadOptional("pid", message.get_packed_int64(), kNotNegative, &Thread::pid); });
  return columns.Finish(2);
}

Result<std::vector<SegmentSample>> DecodeSamples(MessageReader message, size_t thread_count, size_t stack_count) {
  using Row = SegmentSample;
  ColumnReader<Row> columns("samples");
  const auto read = [&](const char* column, const ColumnRange& range, auto member) {
    return [&, column, range, member] { columns.Read(column, message.get_packed_uint64(), range, member); };
  };
  ColumnRange events = UpTo(Event::kPythonFree);
  events.least = 1;
  ReadFields(
      &message, [&] { columns.ReadDeltas("bucket", message.get_packed_sint64(), &Row::bucket); },
      read("event", events, &Row::event), read("thread", RowsOf(thread_count), &Row::thread),
      [&] { columns.Read("task", message.get_packed_sint64(), {.least = kNoTask}, &Row::task); },
      read("category", UpTo(Category::kIdlePool), &Row::category),
      read("state", UpTo(ThreadState::kSleeping), &Row::state), read("stack", RowsOf(stack_count), &Row::stack),
      [&] { columns.Read("weight", message.get_packed_int64(), kNotNegative, &Row::weight); },
      [&] { columns.Read("count", message.get_packed_int64(), kNotNegative, &Row::count); },
      [&] { columns.ReadOptional("python", message.get_packed_uint64(), UpTo(PythonState::kWaiting), &Row::python); });
  return columns.Finish(9);
}

Result<std::vector<TaskInterval>> DecodeTaskIntervals(MessageReader message) {
  using Row = TaskInterval;
  ColumnReader<Row> columns("task_intervals");
  const auto read = [&](const char* column, int64_t Row::*member) {
    return [&, column, member] { columns.Read(column, message.get_packed_int64(), kAnyValue, member); };
  };
  ReadFields(&message, read("task", &Row::task), read("stage", &Row::stage), read("stage_attempt", &Row::stage_attempt),
             read("partition", &Row::partition), read("attempt", &Row::attempt), read("tid", &Row::tid),
             read("sql_execution", &Row::sql_execution), read("begin_ns", &Row::begin_ns), read("end_ns", &Row::end_ns),
             [&] { columns.Read("status", message.get_packed_uint64(), UpTo(TaskStatus::kUnknown), &Row::status); });
  return columns.Finish(10);
}

Result<Neighbor> DecodeNeighbor(MessageReader message) {
  Neighbor neighbor;
  bool is_finite = true;
  const auto read = [&](std::vector<double>* steps) {
    return [&, steps] {
      for (const double value : message.get_packed_double()) {
        is_finite = is_finite && std::isfinite(value);
        steps->push_back(value);
      }
    };
  };
  ReadFields(
      &message, neighbor.host, [&] { neighbor.executor_ids.push_back(message.get_string()); }, neighbor.application_id,
      neighbor.user, neighbor.name, neighbor.processes, neighbor.host_cores, neighbor.begin_ns, neighbor.step_ns,
      read(&neighbor.cpu_ns), read(&neighbor.disk_bytes));
  // The end of the last step must be a valid time.
  const auto steps = static_cast<int64_t>(std::max(neighbor.cpu_ns.size(), neighbor.disk_bytes.size()));
  int64_t span_ns = 0, end_ns = 0;
  if (neighbor.step_ns <= 0 || __builtin_mul_overflow(neighbor.step_ns, steps, &span_ns) ||
      __builtin_add_overflow(neighbor.begin_ns, span_ns, &end_ns)) {
    return Fail("neighbors: impossible times");
  }
  if (!is_finite || !std::isfinite(neighbor.host_cores)) return Fail("neighbors: a value is not a number");
  if (neighbor.processes < 0) return Fail("neighbors: negative number of processes");
  return neighbor;
}

Result<Series> DecodeSeries(MessageReader message) {
  Series series;
  ColumnReader<SeriesPoint> columns("series");
  ReadFields(
      &message, series.name, series.pid, series.start_ticks,
      [&] { series.kind = message.get_uint32() == 0 ? SeriesKind::kGauge : SeriesKind::kCounter; },
      [&] { columns.ReadDeltas("time_ns", message.get_packed_sint64(), &SeriesPoint::time_ns); },
      [&] { columns.Read("value", message.get_packed_double(), kAnyValue, &SeriesPoint::value); });
  Result<std::vector<SeriesPoint>> points = columns.Finish(2);
  if (!points) return tl::unexpected(points.error());
  series.points = std::move(*points);
  return series;
}

Result<HeapSummary> DecodeHeapSummary(MessageReader message, size_t string_count) {
  HeapSummary summary;
  ColumnReader<HeapClass> columns("heap_summaries");
  const auto read = [&](const char* column, int64_t HeapObjects::*member) {
    return [&, column, member] {
      columns.Read(column, message.get_packed_int64(), kNotNegative,
                   [member](HeapClass* row, int64_t value) { row->objects.*member = value; });
    };
  };
  ReadFields(
      &message, summary.time_ns, summary.pause_ns,
      [&] { columns.Read("name", message.get_packed_uint64(), RowsOf(string_count), &HeapClass::name); },
      read("instances", &HeapObjects::instances), read("bytes", &HeapObjects::bytes), summary.other_classes,
      summary.others.instances, summary.others.bytes);
  Result<std::vector<HeapClass>> classes = columns.Finish(3);
  if (!classes) return tl::unexpected(classes.error());
  summary.classes = std::move(*classes);
  if (std::min({summary.pause_ns, summary.other_classes, summary.others.instances, summary.others.bytes}) < 0) {
    return Fail("heap_summaries: negative value");
  }
  return summary;
}

}  // namespace sparkprof
