// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/log_records_codec.h"
#include "model/message_reader.h"
#include "model/segment_codec.h"

namespace sparkprof {
namespace {

// Field numbers are those of segment.proto, in its order.

// Reads packed columns of one message into the rows of a table. Each column sets one member of every row; `Finish`
// checks that all columns have the same length. Columns that came later than the format's first version may be missing.
template <typename Row>
class ColumnReader {
 public:
  explicit ColumnReader(const char* table) : table_(table) {}

  template <typename Range, typename Set>
  void Read(const Range& range, Set set) {
    ++required_;
    ReadOptional(range, set);
  }

  template <typename Range, typename Set>
  void ReadOptional(const Range& range, Set set) {
    size_t row = 0;
    for (const auto value : range) {
      if (row == rows_.size()) rows_.emplace_back();
      if (!set(&rows_[row], value) && bad_row_.empty()) bad_row_ = std::to_string(row);
      ++row;
    }
    lengths_.push_back(row);
  }

  // `columns`: how many must be there.
  Result<std::vector<Row>> Finish(size_t columns) {
    if (!bad_row_.empty()) return Fail(std::string(table_) + " row " + bad_row_ + ": value out of range");
    if (!rows_.empty() && required_ != columns) return Fail(std::string(table_) + ": a column is missing");
    for (const size_t length : lengths_) {
      if (length != rows_.size()) return Fail(std::string(table_) + ": columns of different lengths");
    }
    return std::move(rows_);
  }

 private:
  const char* table_;
  std::vector<Row> rows_;
  std::vector<size_t> lengths_;
  size_t required_ = 0;
  std::string bad_row_;
};

template <typename T>
bool Narrow(uint64_t value, T* out) {
  if (value > std::numeric_limits<T>::max()) return false;
  *out = static_cast<T>(value);
  return true;
}

template <typename E>
bool NarrowEnum(uint64_t value, E largest, E* out) {
  if (value > static_cast<uint64_t>(largest)) return false;
  *out = static_cast<E>(value);
  return true;
}

Source DecodeSource(MessageReader message) {
  Source source;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        source.application_id = message.get_string();
        break;
      case 2:
        source.application_attempt = message.get_string();
        break;
      case 3:
        source.application_name = message.get_string();
        break;
      case 4:
        source.executor_id = message.get_string();
        break;
      case 5:
        source.host = message.get_string();
        break;
      case 6:
        source.boot_id = message.get_string();
        break;
      case 7:
        source.pid = message.get_int64();
        break;
      case 8:
        source.start_ticks = message.get_int64();
        break;
      case 9:
        source.spark_version = message.get_string();
        break;
      case 10:
        source.java_version = message.get_string();
        break;
      case 11:
        source.sparkprof_version = message.get_string();
        break;
      case 12:
        source.bucket_ns = message.get_int64();
        break;
      case 13:
        source.sequence = message.get_uint64();
        break;
      case 14:
        source.role = message.get_string();
        break;
      default:
        message.skip();
    }
  }
  return source;
}

ClockAnchor DecodeAnchor(MessageReader message) {
  ClockAnchor anchor;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        anchor.monotonic_ns = message.get_int64();
        break;
      case 2:
        anchor.epoch_ns = message.get_int64();
        break;
      default:
        message.skip();
    }
  }
  return anchor;
}

// Strings, frames and stacks get their ids by position; a table that would not is refused, since ids would shift.
Result<void> DecodeStrings(MessageReader message, StringTable* strings) {
  size_t position = 0;
  while (message.next()) {
    if (message.tag() != 1) {
      message.skip();
      continue;
    }
    const protozero::data_view text = message.get_view();
    if (strings->Intern({text.data(), text.size()}) != position) {
      return Fail("strings row " + std::to_string(position) + ": repeated, or row 0 is not empty");
    }
    ++position;
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
  const Result<std::vector<Frame>> rows = columns.Finish(4);
  if (!rows) return tl::unexpected(rows.error());
  for (size_t row = 1; row < rows->size(); ++row) {
    if (frames->Intern((*rows)[row]) != row) return Fail("frames row " + std::to_string(row) + ": repeated");
  }
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
  const Result<std::vector<StackTable::Node>> rows = columns.Finish(2);
  if (!rows) return tl::unexpected(rows.error());
  for (size_t row = 1; row < rows->size(); ++row) {
    const StackTable::Node& node = (*rows)[row];
    if (node.parent >= row) return Fail("stacks row " + std::to_string(row) + ": parent not before its child");
    if (stacks->Push(node.parent, node.frame) != row) return Fail("stacks row " + std::to_string(row) + ": repeated");
  }
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

Result<std::vector<Sample>> DecodeSamples(MessageReader message, size_t thread_count, size_t stack_count) {
  ColumnReader<Sample> columns("samples");
  while (message.next()) {
    switch (message.tag()) {
      case 1: {
        uint64_t bucket = 0;
        columns.Read(message.get_packed_sint64(), [&](Sample* sample, int64_t delta) {
          bucket += static_cast<uint64_t>(delta);
          sample->bucket = static_cast<int64_t>(bucket);
          return true;
        });
        break;
      }
      case 2:
        columns.Read(message.get_packed_uint64(), [](Sample* sample, uint64_t value) {
          return value >= 1 && NarrowEnum(value, Event::kMethod, &sample->event);
        });
        break;
      case 3:
        columns.Read(message.get_packed_uint64(), [&](Sample* sample, uint64_t value) {
          return value < thread_count && Narrow(value, &sample->thread);
        });
        break;
      case 4:
        columns.Read(message.get_packed_sint64(), [](Sample* sample, int64_t value) {
          sample->task = value;
          return value >= kNoTask;
        });
        break;
      case 5:
        columns.Read(message.get_packed_uint64(), [](Sample* sample, uint64_t value) {
          return NarrowEnum(value, Category::kIdlePool, &sample->category);
        });
        break;
      case 6:
        columns.Read(message.get_packed_uint64(), [](Sample* sample, uint64_t value) {
          return NarrowEnum(value, ThreadState::kSleeping, &sample->state);
        });
        break;
      case 7:
        columns.Read(message.get_packed_uint64(), [&](Sample* sample, uint64_t value) {
          return value < stack_count && Narrow(value, &sample->stack);
        });
        break;
      case 8:
        columns.Read(message.get_packed_int64(), [](Sample* sample, int64_t value) {
          sample->weight = value;
          return value >= 0;
        });
        break;
      case 9:
        columns.Read(message.get_packed_int64(), [](Sample* sample, int64_t value) {
          sample->count = value;
          return value >= 0;
        });
        break;
      case 10:
        columns.ReadOptional(message.get_packed_uint64(), [](Sample* sample, uint64_t value) {
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

Process DecodeProcess(MessageReader message) {
  Process process;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        process.pid = message.get_int64();
        break;
      case 2:
        process.start_ticks = message.get_int64();
        break;
      case 3:
        process.parent_pid = message.get_int64();
        break;
      case 4:
        process.role = message.get_string();
        break;
      case 5:
        process.command = message.get_string();
        break;
      case 6:
        process.first_seen_ns = message.get_int64();
        break;
      case 7:
        process.last_seen_ns = message.get_int64();
        break;
      default:
        message.skip();
    }
  }
  return process;
}

Loss DecodeLoss(MessageReader message) {
  Loss loss;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        loss.what = message.get_string();
        break;
      case 2:
        loss.reason = message.get_string();
        break;
      case 3:
        loss.count = message.get_int64();
        break;
      default:
        message.skip();
    }
  }
  return loss;
}

Notice DecodeNotice(MessageReader message) {
  Notice notice;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        notice.time_ns = message.get_int64();
        break;
      case 2:
        notice.level = static_cast<NoticeLevel>(std::min(message.get_uint32(), 2u));
        break;
      case 3:
        notice.text = message.get_string();
        break;
      default:
        message.skip();
    }
  }
  return notice;
}

ProfilerSetting DecodeSetting(MessageReader message) {
  ProfilerSetting setting;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        setting.name = message.get_string();
        break;
      case 2:
        setting.value = message.get_string();
        break;
      default:
        message.skip();
    }
  }
  return setting;
}

Udf DecodeUdf(MessageReader message) {
  Udf udf;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        udf.task = message.get_int64();
        break;
      case 2:
        udf.eval_type = message.get_int32();
        break;
      case 3:
        udf.name = message.get_string();
        break;
      case 4:
        udf.file = message.get_string();
        break;
      case 5:
        udf.line = message.get_int64();
        break;
      default:
        message.skip();
    }
  }
  return udf;
}

PythonTask DecodePythonTask(MessageReader message) {
  PythonTask task;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        task.task = message.get_int64();
        break;
      case 2:
        task.pid = message.get_int64();
        break;
      case 3:
        task.start_ticks = message.get_int64();
        break;
      case 4:
        task.begin_ns = message.get_int64();
        break;
      case 5:
        task.end_ns = message.get_int64();
        break;
      case 6:
        task.cpu_ns = message.get_int64();
        break;
      default:
        message.skip();
    }
  }
  return task;
}

Column DecodeColumn(MessageReader message) {
  Column column;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        column.name = message.get_string();
        break;
      case 2: {
        uint64_t value = 0;
        for (const int64_t delta : message.get_packed_sint64()) {
          value += static_cast<uint64_t>(delta);
          column.value.push_back(static_cast<int64_t>(value));
        }
        break;
      }
      default:
        message.skip();
    }
  }
  return column;
}

// Tables refer to tables with smaller field numbers only, and the encoder writes fields in order of their numbers, so
// one pass suffices. A message in another order fails the range checks instead of being misread.
Result<Segment> DecodeFields(MessageReader message) {
  Segment segment;
  const auto take = [](auto result, auto* out) -> Result<void> {
    if (!result) return tl::unexpected(result.error());
    *out = std::move(*result);
    return {};
  };
  while (message.next()) {
    Result<void> ok;
    switch (message.tag()) {
      case 1:
        segment.source = DecodeSource(message.get_message());
        break;
      case 2:
        segment.anchors.push_back(DecodeAnchor(message.get_message()));
        break;
      case 3:
        ok = DecodeStrings(message.get_message(), &segment.strings);
        break;
      case 4:
        ok = DecodeFrames(message.get_message(), segment.strings.Size(), &segment.frames);
        break;
      case 5:
        ok = DecodeStacks(message.get_message(), segment.frames.Size(), &segment.stacks);
        break;
      case 6:
        ok = take(DecodeThreads(message.get_message(), segment.strings.Size()), &segment.threads);
        break;
      case 7:
        ok =
            take(DecodeSamples(message.get_message(), segment.threads.size(), segment.stacks.Size()), &segment.samples);
        break;
      case 8:
        ok = take(DecodeTaskIntervals(message.get_message()), &segment.task_intervals);
        break;
      case 9:
        segment.spark_events.push_back(message.get_bytes());
        break;
      case 10: {
        Series series;
        ok = take(DecodeSeries(message.get_message()), &series);
        segment.series.push_back(std::move(series));
        break;
      }
      case 11:
        segment.processes.push_back(DecodeProcess(message.get_message()));
        break;
      case 12:
        segment.losses.push_back(DecodeLoss(message.get_message()));
        break;
      case 13:
        segment.notices.push_back(DecodeNotice(message.get_message()));
        break;
      case 14:
        segment.settings.push_back(DecodeSetting(message.get_message()));
        break;
      case 15:
        segment.final = message.get_bool();
        break;
      case 16:
        ok = take(DecodeLogRecords(message.get_message(), segment.strings.Size()), &segment.logs);
        break;
      case 17:
        segment.task_columns.push_back(DecodeColumn(message.get_message()));
        if (segment.task_columns.back().value.size() != segment.task_columns.front().value.size()) {
          return Fail("task_columns: columns of different lengths");
        }
        break;
      case 18:
        segment.udfs.push_back(DecodeUdf(message.get_message()));
        break;
      case 19:
        segment.python_tasks.push_back(DecodePythonTask(message.get_message()));
        break;
      default:
        message.skip();
    }
    if (!ok) return tl::unexpected(ok.error());
  }
  if (segment.source.bucket_ns < 0) return Fail("source: negative bucket width");
  return segment;
}

}  // namespace

Result<Segment> DecodeSegment(std::string_view message) {
  try {
    return DecodeFields(MessageReader{message.data(), message.size()});
  } catch (const protozero::exception& error) {
    return Fail(std::string("damaged segment message: ") + error.what());
  }
}

}  // namespace sparkprof
