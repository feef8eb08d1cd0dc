// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/log_records.h"
#include "model/segment/message_reader.h"
#include "model/segment/segment.h"

namespace sparkprof {

inline constexpr int64_t kWidestBucketNanos = 24 * 3600 * kNanosPerSecond;

// Messages of a segment, for DecodeSegment only. They throw the exceptions of MessageReader.

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

// Messages with a single value (segment_records.cc).
Result<Source> DecodeSource(MessageReader message);
ClockAnchor DecodeAnchor(MessageReader message);
Process DecodeProcess(MessageReader message);
Loss DecodeLoss(MessageReader message);
Notice DecodeNotice(MessageReader message);
ProfilerSetting DecodeSetting(MessageReader message);
Udf DecodeUdf(MessageReader message);
PythonTask DecodePythonTask(MessageReader message);
Column DecodeColumn(MessageReader message);

// Writes the message LogRecords of segment.proto; executors are string IDs.
void EncodeLogRecords(const LogRecords& logs, protozero::pbf_writer* out);

// Throws a protozero::exception if the message is damaged; returns an error if its values are inconsistent.
Result<LogRecords> DecodeLogRecords(MessageReader message, size_t string_count);

}  // namespace sparkprof
