// SPDX-License-Identifier: Apache-2.0
#include "event_log/task_metrics.h"

#include <span>
#include <string_view>

#include "base/json_value.h"

namespace sparkprof {
namespace {

enum class Unit : uint8_t { kMillis, kAsIs };

struct Field {
  std::string_view name;
  TaskMetric metric;
  Unit unit = Unit::kAsIs;
};

// In the order in which Spark writes them, which makes the search short.
constexpr Field kTaskFields[] = {
    {"Executor Deserialize Time", TaskMetric::kDeserializeTime, Unit::kMillis},
    {"Executor Deserialize CPU Time", TaskMetric::kDeserializeCpuTime},
    {"Executor Run Time", TaskMetric::kExecutorRunTime, Unit::kMillis},
    {"Executor CPU Time", TaskMetric::kExecutorCpuTime},
    {"Peak Execution Memory", TaskMetric::kPeakExecutionMemory},
    {"Result Size", TaskMetric::kResultSize},
    {"JVM GC Time", TaskMetric::kGcTime, Unit::kMillis},
    {"Result Serialization Time", TaskMetric::kResultSerializationTime, Unit::kMillis},
    {"Memory Bytes Spilled", TaskMetric::kMemorySpilled},
    {"Disk Bytes Spilled", TaskMetric::kDiskSpilled},
};
constexpr Field kShuffleReadFields[] = {
    {"Fetch Wait Time", TaskMetric::kShuffleFetchWait, Unit::kMillis},
    {"Remote Bytes Read", TaskMetric::kShuffleRemoteBytes},
    {"Local Bytes Read", TaskMetric::kShuffleReadBytes},
    {"Total Records Read", TaskMetric::kShuffleReadRecords},
};
constexpr Field kShuffleWriteFields[] = {
    {"Shuffle Bytes Written", TaskMetric::kShuffleWriteBytes},
    {"Shuffle Write Time", TaskMetric::kShuffleWriteTime},
    {"Shuffle Records Written", TaskMetric::kShuffleWriteRecords},
};
constexpr Field kInputFields[] = {
    {"Bytes Read", TaskMetric::kInputBytes},
    {"Records Read", TaskMetric::kInputRecords},
};
constexpr Field kOutputFields[] = {
    {"Bytes Written", TaskMetric::kOutputBytes},
    {"Records Written", TaskMetric::kOutputRecords},
};

struct Group {
  std::string_view name;
  std::span<const Field> fields;
};

constexpr Group kGroups[] = {
    {"Shuffle Read Metrics", kShuffleReadFields},
    {"Shuffle Write Metrics", kShuffleWriteFields},
    {"Input Metrics", kInputFields},
    {"Output Metrics", kOutputFields},
};

// Half of the range of int64, so that two values can be added.
constexpr int64_t kMaxValue = INT64_MAX / 2;

void ReadFields(const simdjson::dom::object& object, std::span<const Field> fields, TaskValues* values) {
  size_t next = 0;
  for (const simdjson::dom::key_value_pair member : object) {
    for (size_t tried = 0; tried < fields.size(); ++tried) {
      const Field& field = fields[(next + tried) % fields.size()];
      if (field.name != member.key) continue;
      int64_t value = IntegerOf(member.value, 0);
      if (field.unit == Unit::kMillis) value = NanosFromMillis(value);
      int64_t& sum = (*values)[static_cast<size_t>(field.metric)];
      if (value > 0 && value < kMaxValue && sum < kMaxValue) sum += value;
      next = (next + tried + 1) % fields.size();
      break;
    }
  }
}

}  // namespace

bool ReadTaskMetrics(const simdjson::dom::object& metrics, TaskValues* values) {
  ReadFields(metrics, kTaskFields, values);
  for (const simdjson::dom::key_value_pair member : metrics) {
    simdjson::dom::object group;
    if (member.value.get_object().get(group) != simdjson::SUCCESS) continue;
    for (const Group& known : kGroups) {
      if (known.name == member.key) ReadFields(group, known.fields, values);
    }
  }
  // Spark counts remote and local bytes separately; both are less than half of the range of int64.
  (*values)[static_cast<size_t>(TaskMetric::kShuffleReadBytes)] +=
      (*values)[static_cast<size_t>(TaskMetric::kShuffleRemoteBytes)];
  simdjson::dom::element peak;
  return Find(metrics, "Peak Execution Memory", &peak);
}

}  // namespace sparkprof
