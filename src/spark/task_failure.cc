// SPDX-License-Identifier: Apache-2.0
#include "spark/task_failure.h"

#include <fmt/format.h>

#include <string_view>

#include "spark/json_value.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxTextSize = 8192;

std::string Cut(std::string text) {
  if (text.size() <= kMaxTextSize) return text;
  size_t size = kMaxTextSize;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;  // not inside a character
  text.resize(size);
  return text;
}

std::string ExceptionText(const simdjson::dom::object& reason) {
  const std::string_view full = TextAt(reason, "Full Stack Trace");
  if (!full.empty()) return std::string(full);
  return fmt::format("{}: {}", TextAt(reason, "Class Name"), TextAt(reason, "Description"));
}

std::string FetchFailedText(const simdjson::dom::object& reason) {
  simdjson::dom::object address;
  const bool has_address = ObjectAt(reason, "Block Manager Address", &address);
  return fmt::format("FetchFailed from executor {} on {} (shuffle {}, map {}, reduce {}): {}",
                     has_address ? TextAt(address, "Executor ID") : "?", has_address ? TextAt(address, "Host") : "?",
                     IntegerAt(reason, "Shuffle ID", -1), IntegerAt(reason, "Map ID", -1),
                     IntegerAt(reason, "Reduce ID", -1), TextAt(reason, "Message"));
}

std::string ExecutorLostText(const simdjson::dom::object& reason) {
  return fmt::format("ExecutorLostFailure (executor {} exited {}): {}", TextAt(reason, "Executor ID"),
                     BooleanAt(reason, "Exit Caused By App") ? "because of one of its tasks" : "for another reason",
                     TextAt(reason, "Loss Reason"));
}

}  // namespace

std::string TaskFailureText(const simdjson::dom::object& reason) {
  const std::string_view name = TextAt(reason, "Reason");
  if (name == "ExceptionFailure") return Cut(ExceptionText(reason));
  if (name == "FetchFailed") return Cut(FetchFailedText(reason));
  if (name == "ExecutorLostFailure") return Cut(ExecutorLostText(reason));
  if (name == "TaskKilled") return Cut(fmt::format("TaskKilled ({})", TextAt(reason, "Kill Reason")));
  if (name == "TaskCommitDenied") {
    return fmt::format("TaskCommitDenied (job {}, partition {}, attempt {})", IntegerAt(reason, "Job ID", -1),
                       IntegerAt(reason, "Partition ID", -1), IntegerAt(reason, "Attempt Number", -1));
  }
  return Cut(std::string(name));
}

}  // namespace sparkprof
