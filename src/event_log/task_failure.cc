// SPDX-License-Identifier: Apache-2.0
#include "event_log/task_failure.h"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <string_view>

#include "base/json_value.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxTextSize = 8192;

std::string Cut(std::string text) {
  text.resize(CutUtf8(text, kMaxTextSize).size());
  return text;
}

std::string ExceptionText(const simdjson::dom::object& reason) {
  const std::string_view full = TextAt(reason, "Full Stack Trace");
  if (!full.empty()) return std::string(full);
  return fmt::format("{}: {}", TextAt(reason, "Class Name"), TextAt(reason, "Description"));
}

// What is missing is null, as Spark prints it.
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
  return fmt::format("ExecutorLostFailure (executor {} exited {} the running tasks){}{}", TextAt(reason, "Executor ID"),
                     BooleanAt(reason, "Exit Caused By App") ? "caused by one of" : "unrelated to",
                     why.empty() ? "" : " Reason: ", why);
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

std::string TaskFailureText(const simdjson::dom::object& reason) {
  const std::string_view name = TextAt(reason, "Reason");
  if (name == "ExceptionFailure") return Cut(ExceptionText(reason));
  if (name == "FetchFailed") return Cut(FetchFailedText(reason));
  if (name == "ExecutorLostFailure") return Cut(ExecutorLostText(reason));
  if (name == "TaskKilled") return Cut(KilledText(reason));
  if (name == "TaskCommitDenied") return CommitDeniedText(reason);
  if (name == "TaskResultLost") return "TaskResultLost (result lost from block manager)";
  return Cut(std::string(name));
}

}  // namespace sparkprof
