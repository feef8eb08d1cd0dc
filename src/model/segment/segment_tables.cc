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
  const ColumnRange strings = RowsOf(string_count);
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        columns.Read("kind", message.get_packed_uint64(), UpTo(FrameKind::kSynthetic), &Frame::kind);
        break;
      case 2:
        columns.Read("name", message.get_packed_uint64(), strings, &Frame::name);
        break;
      case 3:
        columns.Read("file", message.get_packed_uint64(), strings, &Frame::file);
        break;
      case 4:
        columns.Read("line", message.get_packed_uint64(), k32Bits, &Frame::line);
        break;
      default:
        message.skip();
    }
  }
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
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        columns.Read("parent", message.get_packed_uint64(), k32Bits, &Node::parent);
        break;
      case 2:
        columns.Read("frame", message.get_packed_uint64(), frames, &Node::frame);
        break;
      default:
        message.skip();
    }
  }
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
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        columns.Read("tid", message.get_packed_int64(), kAnyValue, &Thread::tid);
        break;
      case 2:
        columns.Read("name", message.get_packed_uint64(), RowsOf(string_count), &Thread::name);
        break;
      case 3:
        columns.ReadOptional("pid", message.get_packed_int64(), kNotNegative, &Thread::pid);
        break;
      default:
        message.skip();
    }
  }
  return columns.Finish(2);
}

Result<std::vector<SegmentSample>> DecodeSamples(MessageReader message, size_t thread_count, size_t stack_count) {
  using Row = SegmentSample;
  ColumnReader<Row> columns("samples");
  while (message.next()) {
    switch (message.tag()) {
      case 1: {
        uint64_t bucket = 0;
        columns.Read("bucket", message.get_packed_sint64(), kAnyValue, [&](Row* sample, int64_t delta) {
          bucket += static_cast<uint64_t>(delta);
          sample->bucket = static_cast<int64_t>(bucket);
        });
        break;
      }
      case 2: {
        ColumnRange events = UpTo(Event::kPythonFree);
        events.least = 1;
        columns.Read("event", message.get_packed_uint64(), events, &Row::event);
        break;
      }
      case 3:
        columns.Read("thread", message.get_packed_uint64(), RowsOf(thread_count), &Row::thread);
        break;
      case 4:
        columns.Read("task", message.get_packed_sint64(), {.least = kNoTask}, &Row::task);
        break;
      case 5:
        columns.Read("category", message.get_packed_uint64(), UpTo(Category::kIdlePool), &Row::category);
        break;
      case 6:
        columns.Read("state", message.get_packed_uint64(), UpTo(ThreadState::kSleeping), &Row::state);
        break;
      case 7:
        columns.Read("stack", message.get_packed_uint64(), RowsOf(stack_count), &Row::stack);
        break;
      case 8:
        columns.Read("weight", message.get_packed_int64(), kNotNegative, &Row::weight);
        break;
      case 9:
        columns.Read("count", message.get_packed_int64(), kNotNegative, &Row::count);
        break;
      case 10:
        columns.ReadOptional("python", message.get_packed_uint64(), UpTo(PythonState::kWaiting), &Row::python);
        break;
      default:
        message.skip();
    }
  }
  return columns.Finish(9);
}

Result<std::vector<TaskInterval>> DecodeTaskIntervals(MessageReader message) {
  ColumnReader<TaskInterval> columns("task_intervals");
  const auto read = [&](const char* column, int64_t TaskInterval::*member) {
    columns.Read(column, message.get_packed_int64(), kAnyValue, member);
  };
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        read("task", &TaskInterval::task);
        break;
      case 2:
        read("stage", &TaskInterval::stage);
        break;
      case 3:
        read("stage_attempt", &TaskInterval::stage_attempt);
        break;
      case 4:
        read("partition", &TaskInterval::partition);
        break;
      case 5:
        read("attempt", &TaskInterval::attempt);
        break;
      case 6:
        read("tid", &TaskInterval::tid);
        break;
      case 7:
        read("sql_execution", &TaskInterval::sql_execution);
        break;
      case 8:
        read("begin_ns", &TaskInterval::begin_ns);
        break;
      case 9:
        read("end_ns", &TaskInterval::end_ns);
        break;
      case 10:
        columns.Read("status", message.get_packed_uint64(), UpTo(TaskStatus::kUnknown), &TaskInterval::status);
        break;
      default:
        message.skip();
    }
  }
  return columns.Finish(10);
}

Result<Neighbor> DecodeNeighbor(MessageReader message) {
  Neighbor neighbor;
  bool is_finite = true;
  const auto read = [&](std::vector<double>* steps) {
    for (const double value : message.get_packed_double()) {
      is_finite = is_finite && std::isfinite(value);
      steps->push_back(value);
    }
  };
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        neighbor.host = message.get_string();
        break;
      case 2:
        neighbor.executor_ids.push_back(message.get_string());
        break;
      case 3:
        neighbor.application_id = message.get_string();
        break;
      case 4:
        neighbor.user = message.get_string();
        break;
      case 5:
        neighbor.name = message.get_string();
        break;
      case 6:
        neighbor.processes = message.get_int64();
        break;
      case 7:
        neighbor.host_cores = message.get_double();
        break;
      case 8:
        neighbor.begin_ns = message.get_int64();
        break;
      case 9:
        neighbor.step_ns = message.get_int64();
        break;
      case 10:
        read(&neighbor.cpu_ns);
        break;
      case 11:
        read(&neighbor.disk_bytes);
        break;
      default:
        message.skip();
    }
  }
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
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        series.name = message.get_string();
        break;
      case 2:
        series.pid = message.get_int64();
        break;
      case 3:
        series.start_ticks = message.get_int64();
        break;
      case 4:
        series.kind = message.get_uint32() == 0 ? SeriesKind::kGauge : SeriesKind::kCounter;
        break;
      case 5: {
        uint64_t time = 0;
        columns.Read("time_ns", message.get_packed_sint64(), kAnyValue, [&](SeriesPoint* point, int64_t delta) {
          time += static_cast<uint64_t>(delta);
          point->time_ns = static_cast<int64_t>(time);
        });
        break;
      }
      case 6:
        columns.Read("value", message.get_packed_double(), kAnyValue, &SeriesPoint::value);
        break;
      default:
        message.skip();
    }
  }
  Result<std::vector<SeriesPoint>> points = columns.Finish(2);
  if (!points) return tl::unexpected(points.error());
  series.points = std::move(*points);
  return series;
}

Result<HeapSummary> DecodeHeapSummary(MessageReader message, size_t string_count) {
  HeapSummary summary;
  ColumnReader<HeapClass> columns("heap_summaries");
  const auto read = [&](const char* column, int64_t HeapObjects::*member) {
    columns.Read(column, message.get_packed_int64(), kNotNegative,
                 [member](HeapClass* row, int64_t value) { row->objects.*member = value; });
  };
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        summary.time_ns = message.get_int64();
        break;
      case 2:
        summary.pause_ns = message.get_int64();
        break;
      case 3:
        columns.Read("name", message.get_packed_uint64(), RowsOf(string_count), &HeapClass::name);
        break;
      case 4:
        read("instances", &HeapObjects::instances);
        break;
      case 5:
        read("bytes", &HeapObjects::bytes);
        break;
      case 6:
        summary.other_classes = message.get_int64();
        break;
      case 7:
        summary.others.instances = message.get_int64();
        break;
      case 8:
        summary.others.bytes = message.get_int64();
        break;
      default:
        message.skip();
    }
  }
  Result<std::vector<HeapClass>> classes = columns.Finish(3);
  if (!classes) return tl::unexpected(classes.error());
  summary.classes = std::move(*classes);
  if (std::min({summary.pause_ns, summary.other_classes, summary.others.instances, summary.others.bytes}) < 0) {
    return Fail("heap_summaries: negative value");
  }
  return summary;
}

}  // namespace sparkprof
