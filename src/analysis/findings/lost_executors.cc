// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "analysis/findings/rules.h"
#include "analysis/time_range.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr size_t kMostNamed = 5;

// Regular reasons: dynamic allocation, decommissioning, the end of the application.
constexpr std::array<std::string_view, 7> kWanted = {
    "idle for",           "Executor decommission",      "decommissioned", "Executor killed by driver",
    "exited with code 0", "Command exited with code 0", "shutdown"};
// Signs of too little memory.
constexpr std::array<std::string_view, 5> kMemory = {"exit code 137", "exit status: 137", "code 137", "OOM",
                                                     "memory limits"};

template <size_t kCount>
bool HasAny(std::string_view text, const std::array<std::string_view, kCount>& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

}  // namespace

std::optional<Finding> FindLostExecutors(const FindingInput& input) {
  const Application& application = input.application;
  std::vector<std::string> lost;
  std::string reason;
  bool memory = false;
  for (const Executor& executor : application.executors) {
    if (executor.remove_ns == 0 || executor.remove_reason.empty() || HasAny(executor.remove_reason, kWanted)) continue;
    // The application removes its executors at its end.
    if (application.ended && executor.remove_ns >= application.end_ns) continue;
    lost.push_back(executor.id);
    if (reason.empty()) reason = executor.remove_reason.substr(0, executor.remove_reason.find('\n'));
    memory = memory || HasAny(executor.remove_reason, kMemory);
  }
  if (lost.empty()) return std::nullopt;
  const size_t count = lost.size();
  Finding finding;
  finding.title =
      count == 1 ? fmt::format("Executor {} was lost", lost.front()) : fmt::format("{} executors were lost", count);
  finding.is_failure = true;
  finding.confidence = 0.9;
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.executor = lost.front();
  if (lost.size() > kMostNamed) lost.resize(kMostNamed);
  finding.what =
      fmt::format("{} {}{} {} lost while the application ran; the tasks and shuffle data had to be recomputed",
                  count == 1 ? "Executor" : "Executors", fmt::join(lost, ", "), count > kMostNamed ? ", …" : "",
                  count == 1 ? "was" : "were");
  finding.evidence = fmt::format("first reason: {}", reason);
  finding.condition =
      "An executor is removed before the application ends, and not by dynamic allocation or "
      "decommissioning";
  finding.change =
      memory ? "The executor exceeded the memory of its container: increase spark.executor.memoryOverhead (or "
               "spark.executor.pyspark.memory for Python), or use fewer cores per executor or smaller partitions"
             : "Check the last lines of its log and the resource manager's log. On spot or preemptible machines, "
               "enable decommissioning (spark.decommission.enabled)";
  finding.severity = Severity::kHigh;
  return finding;
}

}  // namespace sparkprof
