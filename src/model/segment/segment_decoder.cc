// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "model/segment/column_reader.h"
#include "model/segment/message_reader.h"
#include "model/segment/segment_codec.h"
#include "model/segment/segment_parts.h"

namespace sparkprof {
namespace {

// Tags of strings, frames, stacks, threads, samples, task intervals and log records.
bool IsTable(uint32_t tag) { return (tag >= 3 && tag <= 8) || tag == 16; }

Result<void> CheckCount(const char* table, size_t row, const char* field, int64_t count) {
  if (kNotNegative.Contains(count)) return {};
  return FailOutOfRange(table, row, field, std::to_string(count), kNotNegative);
}

Result<void> CheckTaskColumns(const std::vector<Column>& columns, size_t string_count) {
  constexpr size_t kMax = 1000;  // limit, because each is compared with the others
  const Column& added = columns.back();
  if (columns.size() > kMax) return Fail("task_columns: more than " + std::to_string(kMax));
  const auto is_same = [&](const Column& known) { return known.name == added.name; };
  if (std::any_of(columns.begin(), columns.end() - 1, is_same))
    return Fail("task_columns: repeated column " + added.name);
  if (added.value.size() != columns.front().value.size()) return Fail("task_columns: columns of different lengths");
  if (!IsColumnOfStrings(added.name)) return {};
  const ColumnRange strings = RowsOf(string_count);
  for (size_t row = 0; row < added.value.size(); ++row) {
    if (!strings.Contains(added.value[row]))
      return FailOutOfRange("task_columns", row, added.name, std::to_string(added.value[row]), strings);
  }
  return {};
}

// Sample buckets, and values derived from them, must be valid times.
Result<void> CheckBuckets(const Segment& segment) {
  const int64_t bucket_ns = segment.source.bucket_ns;
  const int64_t most = (INT64_MAX - kWidestBucketNanos) / (bucket_ns == 0 ? kNanosPerSecond : bucket_ns);
  const ColumnRange times{.least = -most - 1, .most = most};  // wider buckets start earlier
  for (size_t row = 0; row < segment.samples.size(); ++row) {
    const int64_t bucket = segment.samples[row].bucket;
    if (!times.Contains(bucket)) return FailOutOfRange("samples", row, "bucket", std::to_string(bucket), times);
  }
  return {};
}

// Tables refer only to tables with smaller field numbers, and the encoder writes fields in order of their numbers, so
// one pass is sufficient. A message in another order fails the range checks instead of being misread.
Result<Segment> DecodeFields(MessageReader message) {
  Segment segment;
  const auto take = [](auto result, auto* out) -> Result<void> {
    if (!result) return tl::unexpected(result.error());
    *out = std::move(*result);
    return {};
  };
  uint64_t tables = 0;  // bits of the tags so far
  while (message.next()) {
    Result<void> ok;
    if (IsTable(message.tag())) {
      // A second table would invalidate the IDs of rows that refer to the first one.
      const uint64_t table = uint64_t{1} << message.tag();
      if ((tables & table) != 0) return Fail("field " + std::to_string(message.tag()) + ": repeated table");
      tables |= table;
    }
    const auto add = [&]<typename Row>(Result<Row> row, std::vector<Row>* rows) {
      if (row) rows->push_back(std::move(*row));
      if (!row) ok = tl::unexpected(row.error());
    };
    const auto add_row = [&]<typename Row>(std::vector<Row>* rows) {
      return [&message, rows] { rows->push_back(DecodeRow<Row>(message.get_message())); };
    };
    const size_t strings = segment.strings.Size();
    ReadField(
        &message, [&] { ok = take(DecodeSource(message.get_message()), &segment.source); }, add_row(&segment.anchors),
        [&] { ok = DecodeStrings(message.get_message(), &segment.strings); },
        [&] { ok = DecodeFrames(message.get_message(), strings, &segment.frames); },
        [&] { ok = DecodeStacks(message.get_message(), segment.frames.Size(), &segment.stacks); },
        [&] { ok = take(DecodeThreads(message.get_message(), strings), &segment.threads); },
        [&] {
          ok = take(DecodeSamples(message.get_message(), segment.threads.size(), segment.stacks.Size()),
                    &segment.samples);
        },
        [&] { ok = take(DecodeTaskIntervals(message.get_message()), &segment.task_intervals); },
        [&] { segment.spark_events.push_back(message.get_bytes()); },
        [&] { add(DecodeSeries(message.get_message()), &segment.series); }, add_row(&segment.processes),
        [&] {
          add_row (&segment.losses)();
          ok = CheckCount("losses", segment.losses.size() - 1, "count", segment.losses.back().count);
        },
        [&] { segment.notices.push_back(DecodeNotice(message.get_message())); }, add_row(&segment.settings),
        segment.final, [&] { ok = take(DecodeLogRecords(message.get_message(), strings), &segment.logs); },
        [&] {
          segment.task_columns.push_back(DecodeColumn(message.get_message()));
          ok = CheckTaskColumns(segment.task_columns, strings);
        },
        add_row(&segment.udfs),
        [&] {
          add_row (&segment.python_tasks)();
          ok =
              CheckCount("python_tasks", segment.python_tasks.size() - 1, "cpu_ns", segment.python_tasks.back().cpu_ns);
        },
        [&] { add(DecodeHeapSummary(message.get_message(), strings), &segment.heap_summaries); },
        [&] { add(DecodeNeighbor(message.get_message()), &segment.neighbors); },
        [&] { segment.content = message.get_fixed64(); });
    if (!ok) return tl::unexpected(ok.error());
  }
  if (const Result<void> ok = CheckBuckets(segment); !ok) return tl::unexpected(ok.error());
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
