// SPDX-License-Identifier: Apache-2.0
#include "event_log/events/task_event_scanner.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "event_log/events/task_end.h"

namespace sparkprof {
namespace {

bool TakeMillis(PlainJson* json, int64_t* nanos) {
  int64_t millis = 0;
  if (!json->TakeInteger(&millis)) return false;
  *nanos = NanosFromMillis(millis);
  return true;
}

// Scans "Task Info" up to its last member, the accumulables.
bool ScanInfo(PlainJson* json, TaskInfo* info) {
  const bool first = json->Take("\"Task Info\":{\"Task ID\":") && json->TakeInteger(&info->id) &&
                     json->Take(",\"Index\":") && json->TakeInteger(&info->index) && json->Take(",\"Attempt\":") &&
                     json->TakeInteger(&info->attempt);
  if (!first) return false;
  if (json->Take(",\"Partition ID\":") && !json->TakeInteger(&info->partition)) return false;  // since Spark 3.3
  return json->Take(",\"Launch Time\":") && TakeMillis(json, &info->launch_ns) && json->Take(",\"Executor ID\":\"") &&
         json->TakeText(&info->executor) && json->Take(",\"Host\":\"") && json->TakeText(&info->host) &&
         json->Take(",\"Locality\":\"") && json->TakeText(&info->locality) && json->Take(",\"Speculative\":") &&
         json->TakeBoolean(&info->speculative) && json->Take(",\"Getting Result Time\":") &&
         TakeMillis(json, &info->getting_result_ns) && json->Take(",\"Finish Time\":") &&
         TakeMillis(json, &info->finish_ns) && json->Take(",\"Failed\":false,\"Killed\":false,\"Accumulables\":[");
}

// Consumes a number, or a text with a number (updates of SQL metrics). nullopt for other texts.
bool TakeAccumulated(PlainJson* json, std::optional<int64_t>* of_text) {
  int64_t number = 0;
  if (!json->Take("\"")) return json->TakeInteger(&number);
  std::string_view text;
  if (!json->TakeText(&text)) return false;
  *of_text = ParseInteger(text);
  return true;
}

bool ScanAccumulable(PlainJson* json, TaskLists* lists) {
  int64_t id = 0;
  std::string_view name;
  std::optional<int64_t> update, value;
  bool flag = false;
  const bool first = json->Take("{\"ID\":") && json->TakeInteger(&id) && json->Take(",\"Name\":\"") &&
                     json->TakeText(&name) && json->Take(",\"Update\":") && TakeAccumulated(json, &update) &&
                     json->Take(",\"Value\":") && TakeAccumulated(json, &value) && json->Take(",\"Internal\":") &&
                     json->TakeBoolean(&flag) && json->Take(",\"Count Failed Values\":") && json->TakeBoolean(&flag);
  if (!first) return false;
  if (update && id >= 0) lists->updates.emplace_back(id, *update);
  if (json->Take(",\"Metadata\":\"") && !json->TakeText(&name)) return false;
  return json->Take("}");
}

// Scans from after the opening bracket through the closing one.
bool ScanAccumulables(PlainJson* json, TaskLists* lists) {
  if (json->Take("]")) return true;
  do {
    if (!ScanAccumulable(json, lists)) return false;
  } while (json->Take(","));
  return json->Take("]");
}

// The metrics of a group are contiguous.
struct Group {
  std::string_view name;
  size_t begin = 0;
  size_t end = 0;
};

constexpr auto kGroups = [] {
  std::array<Group, kSparkTaskMetricCount> groups;
  size_t count = 0;
  for (size_t metric = 0; metric < kSparkTaskMetricCount; ++metric) {
    const std::string_view name = kSparkTaskMetrics[metric].group;
    if (metric == 0 || name != groups[count - 1].name) groups[count++] = {name, metric, metric};
    ++groups[count - 1].end;
  }
  return groups;
}();

// "Task Metrics" itself has no group name.
constexpr const Group& kTopGroup = kGroups[0];
static_assert(kTopGroup.name.empty());

class MetricScan {
 public:
  MetricScan(PlainJson* json, TaskValues* values) : json_(json), values_(values) {}

  bool HasPeak() const { return has_peak_; }

  // Scans the members of a group from after the opening brace through the closing one.
  bool Members(const Group& group) {
    if (json_->Take("}")) return true;
    size_t next = group.begin;
    do {
      if (!Member(group, &next)) return false;
    } while (json_->Take(","));
    return json_->Take("}");
  }

 private:
  // Spark writes members approximately in the order of the table: `next` is the expected one.
  bool Member(const Group& group, size_t* next) {
    if (*next < group.end && json_->TakeName(kSparkTaskMetrics[*next].event)) return Value((*next)++);
    std::string_view name;
    if (!json_->Take("\"") || !json_->TakeText(&name) || !json_->Take(":")) return false;
    if (json_->Take("{")) {
      const auto inner =
          std::find_if(kGroups.begin() + 1, kGroups.end(), [&](const Group& known) { return known.name == name; });
      return inner != kGroups.end() && inner->end > 0 && Members(*inner);
    }
    if (json_->Take("[")) return name == "Updated Blocks" && json_->Take("]");
    size_t metric = group.begin;
    while (metric < group.end && kSparkTaskMetrics[metric].event != name) ++metric;
    if (metric == group.end) return Value(kSparkTaskMetricCount);
    *next = metric + 1;
    return Value(metric);
  }

  bool Value(size_t metric) {
    int64_t value = 0;
    if (!json_->TakeInteger(&value)) return false;
    if (metric == kSparkTaskMetricCount) return true;  // a metric of Spark that sparkprof does not use
    const auto of_spark = static_cast<SparkTaskMetric>(metric);
    has_peak_ = has_peak_ || of_spark == SparkTaskMetric::kPeakExecutionMemory;
    if (value != 0) AddTaskMetric(of_spark, value, values_);  // most are 0
    return true;
  }

  PlainJson* json_;
  TaskValues* values_;
  bool has_peak_ = false;
};

}  // namespace

TaskEventScanner::PeaksOfExecutor& TaskEventScanner::PeaksOf(std::string_view executor) {
  if (last_executor_ < executors_.size() && executors_[last_executor_].id == executor)
    return executors_[last_executor_];
  const auto found = std::find_if(executors_.begin(), executors_.end(),
                                  [&](const PeaksOfExecutor& known) { return known.id == executor; });
  last_executor_ = static_cast<size_t>(found - executors_.begin());
  if (found == executors_.end()) executors_.push_back({executor, {}, {}});
  return executors_[last_executor_];
}

// Scans "Task Executor Metrics" from after the opening brace through the closing one.
bool TaskEventScanner::ScanPeaks(PlainJson* json, TaskLists* lists, DecodedTask* task) {
  PeaksOfExecutor& known = PeaksOf(task->executor);
  // An executor reports its latest measurement, so several tasks have the same one.
  if (!known.last.empty() && json->TakeSame(known.last)) return true;
  const char* const begin = json->At();
  if (json->Take("}")) return true;
  auto& peaks = known.peaks;
  size_t next = 0;
  do {
    int64_t value = 0;
    if (next < peaks.size() && json->TakeName(peaks[next].first)) {
      if (!json->TakeInteger(&value)) return false;
      if (value <= peaks[next++].second) continue;
    } else {
      std::string_view name;
      if (!json->Take("\"") || !json->TakeText(&name) || !json->Take(":") || !json->TakeInteger(&value)) return false;
      const auto found = std::find_if(peaks.begin(), peaks.end(), [&](const auto& peak) { return peak.first == name; });
      next = static_cast<size_t>(found - peaks.begin()) + 1;
      if (found == peaks.end()) {
        peaks.emplace_back(name, value);
      } else if (value <= found->second) {
        continue;
      }
    }
    peaks[next - 1].second = value;
    lists->peaks.emplace_back(peaks[next - 1]);
    ++task->peaks;
  } while (json->Take(","));
  if (!json->Take("}")) return false;
  known.last = {begin, static_cast<size_t>(json->At() - begin)};
  return true;
}

bool TaskEventScanner::ScanEnd(PlainJson* json, TaskLists* lists, DecodedTask* task) {
  TaskInfo info;
  std::string_view type;
  const bool first = json->TakeInteger(&info.stage_id) && json->Take(",\"Stage Attempt ID\":") &&
                     json->TakeInteger(&info.stage_attempt) && json->Take(",\"Task Type\":\"") &&
                     json->TakeText(&type) && json->Take(",\"Task End Reason\":{\"Reason\":\"Success\"},") &&
                     ScanInfo(json, &info);
  if (!first) return false;
  Describe(info, DecodedTaskKind::kEnd, task);
  if (task->kind == DecodedTaskKind::kDamaged) return false;
  task->has_reason = true;
  const size_t updates = lists->updates.size();
  if (!ScanAccumulables(json, lists) || !json->Take("},")) return false;
  task->updates = lists->updates.size() - updates;
  if (json->Take("\"Task Executor Metrics\":{") && (!ScanPeaks(json, lists, task) || !json->Take(","))) return false;
  TaskValues& values = lists->values.emplace_back();
  AddDurations(info, &values);
  MetricScan metrics(json, &values);
  if (!json->Take("\"Task Metrics\":{") || !metrics.Members(kTopGroup) || !metrics.HasPeak()) return false;
  AddRemoteBytes(&values);
  AddSchedulerDelay(&values);
  return json->Take("}");
}

size_t TaskEventScanner::Scan(std::string_view lines, TaskLists* lists, DecodedTask* task) {
  PlainJson json(lines);
  if (json.Take("{\"Event\":\"SparkListenerTaskStart\",\"Stage ID\":")) {
    TaskInfo info;
    const bool complete = json.TakeInteger(&info.stage_id) && json.Take(",\"Stage Attempt ID\":") &&
                          json.TakeInteger(&info.stage_attempt) && json.Take(",") && ScanInfo(&json, &info) &&
                          json.Take("]}}") && json.IsAtEnd();
    if (complete) Describe(info, DecodedTaskKind::kStart, task);
    return complete && task->kind == DecodedTaskKind::kStart ? static_cast<size_t>(json.At() - lines.data()) : 0;
  }
  if (!json.Take("{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":")) return 0;
  const size_t values = lists->values.size(), peaks = lists->peaks.size(), updates = lists->updates.size();
  if (ScanEnd(&json, lists, task) && json.IsAtEnd()) return static_cast<size_t>(json.At() - lines.data());
  lists->values.resize(values);
  lists->peaks.resize(peaks);
  lists->updates.resize(updates);
  Reset();  // drops peaks of the rejected event
  return 0;
}

}  // namespace sparkprof
