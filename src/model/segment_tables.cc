// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "model/column_reader.h"
#include "model/segment_parts.h"

namespace sparkprof {

// Field numbers are those of segment.proto, in its order.

// Strings, frames and stacks have their ids by position, and are not hashed: most are copied from here into tables that
// hash them.
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
  ColumnReader<Frame> columns("frames");
  const auto string_id = [&](uint64_t value, StringId* out) { return value < string_count && Narrow(value, out); };
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        columns.Read(message.get_packed_uint64(), [](Frame* frame, uint64_t value) {
          return NarrowEnum(value, FrameKind::kSynthetic, &frame->kind);
        });
        break;
      case 2:
        columns.Read(message.get_packed_uint64(),
                     [&](Frame* frame, uint64_t value) { return string_id(value, &frame->name); });
        break;
      case 3:
        columns.Read(message.get_packed_uint64(),
                     [&](Frame* frame, uint64_t value) { return string_id(value, &frame->file); });
        break;
      case 4:
        columns.Read(message.get_packed_uint64(),
                     [](Frame* frame, uint64_t value) { return Narrow(value, &frame->line); });
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
  ColumnReader<StackTable::Node> columns("stacks");
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        columns.Read(message.get_packed_uint64(),
                     [](StackTable::Node* node, uint64_t value) { return Narrow(value, &node->parent); });
        break;
      case 2:
        columns.Read(message.get_packed_uint64(), [&](StackTable::Node* node, uint64_t value) {
          return value < frame_count && Narrow(value, &node->frame);
        });
        break;
      default:
        message.skip();
    }
  }
  Result<std::vector<StackTable::Node>> rows = columns.Finish(2);
  if (!rows) return tl::unexpected(rows.error());
  for (size_t row = 1; row < rows->size(); ++row) {
    if ((*rows)[row].parent >= row) return Fail("stacks row " + std::to_string(row) + ": parent not before its child");
  }
  *stacks = StackTable(std::move(*rows));
  return {};
}

Result<std::vector<Thread>> DecodeThreads(MessageReader message, size_t string_count) {
  ColumnReader<Thread> columns("threads");
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        columns.Read(message.get_packed_int64(), [](Thread* thread, int64_t value) {
          thread->tid = value;
          return true;
        });
        break;
      case 2:
        columns.Read(message.get_packed_uint64(), [&](Thread* thread, uint64_t value) {
          return value < string_count && Narrow(value, &thread->name);
        });
        break;
      case 3:
        columns.ReadOptional(message.get_packed_int64(), [](Thread* thread, int64_t value) {
          thread->pid = value;
          return value >= 0;
        });
        break;
      default:
        message.skip();
    }
  }
  return columns.Finish(2);
}

Result<std::vector<SegmentSample>> DecodeSamples(MessageReader message, size_t thread_count, size_t stack_count) {
  ColumnReader<SegmentSample> columns("samples");
  while (message.next()) {
    switch (message.tag()) {
      case 1: {
        uint64_t bucket = 0;
        columns.Read(message.get_packed_sint64(), [&](SegmentSample* sample, int64_t delta) {
          bucket += static_cast<uint64_t>(delta);
          sample->bucket = static_cast<int64_t>(bucket);
          return true;
        });
        break;
      }
      case 2:
        columns.Read(message.get_packed_uint64(), [](SegmentSample* sample, uint64_t value) {
          return value >= 1 && NarrowEnum(value, Event::kMethod, &sample->event);
        });
        break;
      case 3:
        columns.Read(message.get_packed_uint64(), [&](SegmentSample* sample, uint64_t value) {
          return value < thread_count && Narrow(value, &sample->thread);
        });
        break;
      case 4:
        columns.Read(message.get_packed_sint64(), [](SegmentSample* sample, int64_t value) {
          sample->task = value;
          return value >= kNoTask;
        });
        break;
      case 5:
        columns.Read(message.get_packed_uint64(), [](SegmentSample* sample, uint64_t value) {
          return NarrowEnum(value, Category::kIdlePool, &sample->category);
        });
        break;
      case 6:
        columns.Read(message.get_packed_uint64(), [](SegmentSample* sample, uint64_t value) {
          return NarrowEnum(value, ThreadState::kSleeping, &sample->state);
        });
        break;
      case 7:
        columns.Read(message.get_packed_uint64(), [&](SegmentSample* sample, uint64_t value) {
          return value < stack_count && Narrow(value, &sample->stack);
        });
        break;
      case 8:
        columns.Read(message.get_packed_int64(), [](SegmentSample* sample, int64_t value) {
          sample->weight = value;
          return value >= 0;
        });
        break;
      case 9:
        columns.Read(message.get_packed_int64(), [](SegmentSample* sample, int64_t value) {
          sample->count = value;
          return value >= 0;
        });
        break;
      case 10:
        columns.ReadOptional(message.get_packed_uint64(), [](SegmentSample* sample, uint64_t value) {
          return NarrowEnum(value, PythonState::kWaiting, &sample->python);
        });
        break;
      default:
        message.skip();
    }
  }
  return columns.Finish(9);
}

Result<std::vector<TaskInterval>> DecodeTaskIntervals(MessageReader message) {
  ColumnReader<TaskInterval> columns("task_intervals");
  const auto read = [&](int64_t TaskInterval::*member) {
    columns.Read(message.get_packed_int64(), [member](TaskInterval* row, int64_t value) {
      row->*member = value;
      return true;
    });
  };
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        read(&TaskInterval::task);
        break;
      case 2:
        read(&TaskInterval::stage);
        break;
      case 3:
        read(&TaskInterval::stage_attempt);
        break;
      case 4:
        read(&TaskInterval::partition);
        break;
      case 5:
        read(&TaskInterval::attempt);
        break;
      case 6:
        read(&TaskInterval::tid);
        break;
      case 7:
        read(&TaskInterval::sql_execution);
        break;
      case 8:
        read(&TaskInterval::begin_ns);
        break;
      case 9:
        read(&TaskInterval::end_ns);
        break;
      case 10:
        columns.Read(message.get_packed_uint64(), [](TaskInterval* row, uint64_t value) {
          return NarrowEnum(value, TaskStatus::kUnknown, &row->status);
        });
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
  // The end of the last step has to be a time.
  const auto steps = static_cast<int64_t>(std::max(neighbor.cpu_ns.size(), neighbor.disk_bytes.size()));
  int64_t span_ns = 0, end_ns = 0;
  if (neighbor.step_ns <= 0 || __builtin_mul_overflow(neighbor.step_ns, steps, &span_ns) ||
      __builtin_add_overflow(neighbor.begin_ns, span_ns, &end_ns)) {
    return Fail("neighbors: impossible times");
  }
  if (!is_finite || !std::isfinite(neighbor.host_cores)) return Fail("neighbors: a value is not a number");
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
        columns.Read(message.get_packed_sint64(), [&](SeriesPoint* point, int64_t delta) {
          time += static_cast<uint64_t>(delta);
          point->time_ns = static_cast<int64_t>(time);
          return true;
        });
        break;
      }
      case 6:
        columns.Read(message.get_packed_double(), [](SeriesPoint* point, double value) {
          point->value = value;
          return std::isfinite(value);
        });
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
  const auto read = [&](int64_t HeapObjects::*member) {
    columns.Read(message.get_packed_int64(), [member](HeapClass* row, int64_t value) {
      row->objects.*member = value;
      return value >= 0;
    });
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
        columns.Read(message.get_packed_uint64(),
                     [&](HeapClass* row, uint64_t value) { return value < string_count && Narrow(value, &row->name); });
        break;
      case 4:
        read(&HeapObjects::instances);
        break;
      case 5:
        read(&HeapObjects::bytes);
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
