// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <protozero/pbf_writer.hpp>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/log_records.h"
#include "model/segment/message_reader.h"
#include "model/segment/segment.h"

namespace sparkprof {

inline constexpr int64_t kWidestBucketNanos = 24 * 3600 * kNanosPerSecond;

// Messages of a segment, for its encoder and decoder only. Decoding throws the exceptions of MessageReader.

// Tables, column by column (segment_tables.cc). Counts are the sizes of the tables that they refer to.
Result<void> DecodeStrings(MessageReader message, StringTable* strings);
Result<void> DecodeFrames(MessageReader message, size_t string_count, FrameTable* frames);
Result<void> DecodeStacks(MessageReader message, size_t frame_count, StackTable* stacks);
Result<std::vector<Thread>> DecodeThreads(MessageReader message, size_t string_count);
Result<std::vector<SegmentSample>> DecodeSamples(MessageReader message, size_t thread_count, size_t stack_count);
Result<std::vector<TaskInterval>> DecodeTaskIntervals(MessageReader message);
Result<Series> DecodeSeries(MessageReader message);
Result<HeapSummary> DecodeHeapSummary(MessageReader message, size_t string_count);
Result<Neighbor> DecodeNeighbor(MessageReader message);

// Messages with single values (segment_records.cc).
Result<Source> DecodeSource(MessageReader message);
Notice DecodeNotice(MessageReader message);
Column DecodeColumn(MessageReader message);

// Members of messages with nothing but single values, in the order of their field numbers.
template <typename Row>
inline constexpr auto kFields = std::tuple();
template <>
inline constexpr auto kFields<Source> = std::tuple(&Source::application_id, &Source::application_attempt,
                                                   &Source::application_name, &Source::executor_id, &Source::host,
                                                   &Source::boot_id, &Source::pid, &Source::start_ticks,
                                                   &Source::spark_version, &Source::java_version,
                                                   &Source::sparkprof_version, &Source::bucket_ns, &Source::sequence,
                                                   &Source::role);
template <>
inline constexpr auto kFields<ClockAnchor> = std::tuple(&ClockAnchor::monotonic_ns, &ClockAnchor::epoch_ns);
template <>
inline constexpr auto kFields<Process> = std::tuple(&Process::pid, &Process::start_ticks, &Process::parent_pid,
                                                    &Process::role, &Process::command, &Process::first_seen_ns,
                                                    &Process::last_seen_ns, &Process::started_ns, &Process::ended,
                                                    &Process::user, &Process::application_id, &Process::executor_id,
                                                    &Process::container_id, &Process::control_group, &Process::name,
                                                    &Process::state);
template <>
inline constexpr auto kFields<Loss> = std::tuple(&Loss::what, &Loss::reason, &Loss::count);
template <>
inline constexpr auto kFields<ProfilerSetting> = std::tuple(&ProfilerSetting::name, &ProfilerSetting::value);
template <>
inline constexpr auto kFields<Udf> = std::tuple(&Udf::task, &Udf::eval_type, &Udf::name, &Udf::file, &Udf::line);
template <>
inline constexpr auto kFields<PythonTask> = std::tuple(&PythonTask::task, &PythonTask::pid, &PythonTask::start_ticks,
                                                       &PythonTask::begin_ns, &PythonTask::end_ns, &PythonTask::cpu_ns);

template <typename Row>
Row DecodeRow(MessageReader message) {
  Row row;
  std::apply([&](auto... member) { ReadFields(&message, row.*member...); }, kFields<Row>);
  return row;
}

// Packed columns: get(row) of each row, an integer, an enumeration or a member.
using PackedUnsigned = protozero::packed_field_uint64;
using PackedSigned = protozero::packed_field_int64;
using PackedZigZag = protozero::packed_field_sint64;

template <typename Packed, typename Rows, typename Get>
void Pack(protozero::pbf_writer* out, uint32_t field, const Rows& rows, Get get) {
  using Number = std::conditional_t<std::is_same_v<Packed, PackedUnsigned>, uint64_t, int64_t>;
  Packed packed{*out, field};
  for (const auto& row : rows) packed.add_element(static_cast<Number>(std::invoke(get, row)));
}

// Differences wrap instead of overflowing: a reader that sums them with wrapping gets the values back.
template <typename Rows, typename Get>
void PackDeltas(protozero::pbf_writer* out, uint32_t field, const Rows& rows, Get get) {
  uint64_t before = 0;
  Pack<PackedZigZag>(out, field, rows, [&](const auto& row) {
    const auto value = static_cast<uint64_t>(static_cast<int64_t>(std::invoke(get, row)));
    return static_cast<int64_t>(value - std::exchange(before, value));
  });
}

template <typename Deltas>
std::vector<int64_t> AddUp(const Deltas& deltas) {
  std::vector<int64_t> values;
  uint64_t value = 0;
  for (const int64_t delta : deltas) values.push_back(static_cast<int64_t>(value += static_cast<uint64_t>(delta)));
  return values;
}

// Writes the message LogRecords of segment.proto; executors are string IDs.
void EncodeLogRecords(const LogRecords& logs, protozero::pbf_writer* out);

// Throws a protozero::exception if the message is damaged; returns an error if its values are inconsistent.
Result<LogRecords> DecodeLogRecords(MessageReader message, size_t string_count);

}  // namespace sparkprof
