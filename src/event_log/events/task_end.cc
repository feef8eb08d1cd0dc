// SPDX-License-Identifier: Apache-2.0
#include "event_log/events/task_end.h"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <string_view>

#include "base/text/json_parser.h"

namespace sparkprof {
namespace {

// Before Spark 1.3 there is no text with the complete stack trace.
std::string ExceptionText(const simdjson::dom::object& reason) {
  const std::string_view full = TextAt(reason, "Full Stack Trace");
  if (!full.empty()) return std::string(full);
  std::string text = fmt::format("{}: {}", TextAt(reason, "Class Name"), TextAt(reason, "Description"));
  simdjson::dom::array frames;
  if (!ArrayAt(reason, "Stack Trace", &frames)) return text;
  for (const simdjson::dom::element element : frames) {
    simdjson::dom::object frame;
    if (element.get_object().get(frame) != simdjson::SUCCESS) continue;
    text += fmt::format("\n        {}.{}({}:{})", TextAt(frame, "Declaring Class"), TextAt(frame, "Method Name"),
                        TextAt(frame, "File Name"), IntegerAt(frame, "Line Number", 0));
  }
  return text;
}

// Prints missing values as null, like Spark.
std::string AddressText(const simdjson::dom::object& reason) {
  simdjson::dom::object address;
  if (!ObjectAt(reason, "Block Manager Address", &address)) return "null";
  return fmt::format("BlockManagerId({}, {}, {}, None)", TextAt(address, "Executor ID"), TextAt(address, "Host"),
                     IntegerAt(address, "Port", 0));
}

std::string FetchFailedText(const simdjson::dom::object& reason) {
  constexpr int64_t kUnknown = std::numeric_limits<int32_t>::min();
  const int64_t map_index = IntegerAt(reason, "Map Index", kUnknown);
  return fmt::format("FetchFailed({}, shuffleId={}, mapIndex={}, mapId={}, reduceId={}, message=\n{}\n)",
                     AddressText(reason), IntegerAt(reason, "Shuffle ID", -1),
                     map_index == kUnknown ? "Unknown" : std::to_string(map_index), IntegerAt(reason, "Map ID", -1),
                     IntegerAt(reason, "Reduce ID", -1), TextAt(reason, "Message"));
}

std::string ExecutorLostText(const simdjson::dom::object& reason) {
  const std::string_view why = TextAt(reason, "Loss Reason");
  simdjson::dom::element by_application;
  const bool by_tasks = !Find(reason, "Exit Caused By App", &by_application) || BooleanOf(by_application);
  return fmt::format("ExecutorLostFailure (executor {} exited {} the running tasks){}{}", TextAt(reason, "Executor ID"),
                     by_tasks ? "caused by one of" : "unrelated to", why.empty() ? "" : " Reason: ", why);
}

std::string CommitDeniedText(const simdjson::dom::object& reason) {
  return fmt::format("TaskCommitDenied (Driver denied task commit) for job: {}, partition: {}, attemptNumber: {}",
                     IntegerAt(reason, "Job ID", -1), IntegerAt(reason, "Partition ID", -1),
                     IntegerAt(reason, "Attempt Number", -1));
}

std::string KilledText(const simdjson::dom::object& reason) {
  const std::string_view why = TextAt(reason, "Kill Reason");
  return std::string(why.empty() ? "unknown reason" : why);
}

}  // namespace

bool ReadTaskMetrics(const simdjson::dom::object& metrics, TaskValues* values) {
  bool has_peak = false;
  VisitTaskMetrics(metrics, [&](SparkTaskMetric metric, const simdjson::dom::element& element) {
    has_peak = has_peak || metric == SparkTaskMetric::kPeakExecutionMemory;
    AddTaskMetric(metric, IntegerOf(element, 0), values);
  });
  AddRemoteBytes(values);
  return has_peak;
}

std::string TaskFailureText(const simdjson::dom::object& reason) {
  const std::string_view name = TextAt(reason, "Reason");
  if (name == "ExceptionFailure") return ExceptionText(reason);
  if (name == "FetchFailed") return FetchFailedText(reason);
  if (name == "ExecutorLostFailure") return ExecutorLostText(reason);
  if (name == "TaskKilled") return KilledText(reason);
  if (name == "TaskCommitDenied") return CommitDeniedText(reason);
  if (name == "TaskResultLost") return "TaskResultLost (result lost from block manager)";
  if (name == "Resubmitted") return "Resubmitted (resubmitted due to lost executor)";
  return std::string(name);
}

}  // namespace sparkprof
