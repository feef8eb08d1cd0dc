// SPDX-License-Identifier: Apache-2.0
#include "model/streaming_progress.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/saturate.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

// Returns a finite, non-negative rate: Spark writes rates of empty batches as NaN or Infinity, which are text in JSON.
double RateAt(const simdjson::dom::object& object, std::string_view key) {
  simdjson::dom::element value;
  double rate = 0;
  if (!Find(object, key, &value) || value.get_double().get(rate) != simdjson::SUCCESS) return 0;
  return std::isfinite(rate) && rate > 0 ? rate : 0;
}

int64_t CountAt(const simdjson::dom::object& object, std::string_view key) {
  return std::max<int64_t>(0, IntegerAt(object, key, 0));
}

template <typename Add>
void ForEachObject(const simdjson::dom::object& object, std::string_view key, Add add) {
  simdjson::dom::array array;
  if (!ArrayAt(object, key, &array)) return;
  for (const simdjson::dom::element element : array) {
    simdjson::dom::object member;
    if (element.get_object().get(member) == simdjson::SUCCESS) add(member);
  }
}

// Sources that support it (Kafka) write a text. Otherwise the largest difference of two offsets of a partition, as in
// {"clicks": {"0": 7, "1": 9}}. -1 = not supported.
int64_t OffsetsBehind(const simdjson::dom::object& source) {
  simdjson::dom::object metrics, latest, end, of_topic;
  if (ObjectAt(source, "metrics", &metrics)) {
    if (const auto behind = ParseInteger(TextAt(metrics, "maxOffsetsBehindLatest")))
      return std::max<int64_t>(-1, *behind);
  }
  int64_t most = -1;
  if (!ObjectAt(source, "latestOffset", &latest) || !ObjectAt(source, "endOffset", &end)) return most;
  for (const simdjson::dom::key_value_pair topic : latest) {
    simdjson::dom::object partitions;
    if (topic.value.get_object().get(partitions) != simdjson::SUCCESS || !ObjectAt(end, topic.key, &of_topic)) continue;
    for (const simdjson::dom::key_value_pair partition : partitions) {
      const int64_t last = IntegerOf(partition.value, -1), read = IntegerAt(of_topic, partition.key, -1);
      if (read >= 0 && last >= read) most = std::max(most, last - read);
    }
  }
  return most;
}

// 0 if there is none; Spark writes 1970 before the first event.
int64_t WatermarkOf(const simdjson::dom::object& progress) {
  simdjson::dom::object event_time;
  if (!ObjectAt(progress, "eventTime", &event_time)) return 0;
  return std::max<int64_t>(0, ParseTimestamp(TextAt(event_time, "watermark")).value_or(0));
}

// Adds the numbers of a stateful operator that are times or counts of its store, without rows and bytes.
void AddStateMetrics(const simdjson::dom::object& state_operator, StreamingBatch* batch) {
  const auto add = [&](std::string_view name, int64_t value) {
    auto& metrics = batch->state_metrics;
    const auto known = std::find_if(metrics.begin(), metrics.end(), [&](const auto& one) { return one.first == name; });
    if (known == metrics.end()) {
      metrics.emplace_back(name, value);
    } else {
      AddSaturated(value, &known->second);
    }
  };
  for (const std::string_view name : {"allUpdatesTimeMs", "allRemovalsTimeMs", "commitTimeMs", "numRowsUpdated",
                                      "numRowsDroppedByWatermark", "numStateStoreInstances"})
    if (const int64_t value = CountAt(state_operator, name); value > 0) add(name, value);
  simdjson::dom::object custom;
  if (!ObjectAt(state_operator, "customMetrics", &custom)) return;
  for (const simdjson::dom::key_value_pair member : custom)
    add(member.key, std::max<int64_t>(0, IntegerOf(member.value, 0)));
}

void AddPhases(const simdjson::dom::object& progress, StreamingBatch* batch) {
  simdjson::dom::object phases;
  if (!ObjectAt(progress, "durationMs", &phases)) return;
  for (const simdjson::dom::key_value_pair phase : phases)
    batch->phases_ns.emplace_back(phase.key, NanosFromMillis(IntegerOf(phase.value, 0)));
}

}  // namespace

StreamingBatch StreamingBatchOf(const simdjson::dom::object& progress) {
  StreamingBatch batch;
  batch.id = IntegerAt(progress, "batchId", -1);
  batch.start_ns = ParseTimestamp(TextAt(progress, "timestamp")).value_or(0);
  AddPhases(progress, &batch);
  batch.watermark_ns = WatermarkOf(progress);
  batch.duration_ns = NanosAt(progress, "batchDuration");
  for (const auto& [phase, duration_ns] : batch.phases_ns) {
    // Spark 2.x has no batchDuration.
    if (batch.duration_ns == 0 && phase == "triggerExecution") batch.duration_ns = duration_ns;
  }
  ForEachObject(progress, "sources", [&](const simdjson::dom::object& source) {
    AddSaturated(CountAt(source, "numInputRows"), &batch.input_rows);
    batch.input_rows_per_second += RateAt(source, "inputRowsPerSecond");
    batch.processed_rows_per_second += RateAt(source, "processedRowsPerSecond");
    batch.offsets_behind = std::max(batch.offsets_behind, OffsetsBehind(source));
  });
  // A shortened progress may have the sums alone.
  if (batch.input_rows == 0) batch.input_rows = CountAt(progress, "numInputRows");
  if (batch.input_rows_per_second == 0) batch.input_rows_per_second = RateAt(progress, "inputRowsPerSecond");
  if (batch.processed_rows_per_second == 0)
    batch.processed_rows_per_second = RateAt(progress, "processedRowsPerSecond");
  ForEachObject(progress, "stateOperators", [&](const simdjson::dom::object& state_operator) {
    AddSaturated(CountAt(state_operator, "numRowsTotal"), &batch.state_rows);
    AddSaturated(CountAt(state_operator, "memoryUsedBytes"), &batch.state_bytes);
    AddStateMetrics(state_operator, &batch);
  });
  return batch;
}

}  // namespace sparkprof
