// SPDX-License-Identifier: Apache-2.0
#include "analysis/python/python_waits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/text/text.h"

namespace sparkprof {
namespace {

int64_t* StateOf(const Sample& sample, StackKind kind, StageWaits* waits) {
  const bool for_python = kind == StackKind::kPythonWait;
  const bool jvm_waits = for_python || sample.state == ThreadState::kSleeping;
  const bool python_runs =
      sample.python == PythonState::kRunning || (for_python && sample.python == PythonState::kUnknown);
  if (jvm_waits) return python_runs ? &waits->jvm_waiting_python_busy : &waits->both_waiting;
  return python_runs ? &waits->jvm_busy_python_busy : &waits->jvm_busy_python_waiting;
}

}  // namespace

std::vector<StageWaits> WaitsOfStages(const Application& application, const std::vector<StackKind>& kinds) {
  const Profile& profile = application.profile;
  const EventId wall = profile.Row(Event::kWall);
  std::map<int64_t, std::pair<StageWaits, bool>> stages;  // by stage ID; whether it is related to Python
  for (const Sample& sample : profile.samples) {
    if (sample.event != wall) continue;
    const int64_t stage = profile.tasks[sample.task].stage;
    if (stage < 0) continue;
    auto& [waits, uses_python] = stages[stage];
    uses_python |= kinds[sample.stack] == StackKind::kPythonWait || sample.python != PythonState::kUnknown;
    *StateOf(sample, kinds[sample.stack], &waits) += sample.weight;
    if (kinds[sample.stack] == StackKind::kPythonWait) waits.waiting_for_python += sample.weight;
  }
  std::vector<StageWaits> result;
  for (auto& [id, stage] : stages) {
    if (!stage.second) continue;
    stage.first.stage = id;
    result.push_back(stage.first);
  }
  return result;
}

std::string WaitsInWords(const StageWaits& waits) {
  const int64_t total = waits.Total();
  if (total <= 0) return "no wall-clock samples";
  std::pair<int64_t, const char*> parts[] = {{waits.jvm_waiting_python_busy, "Python-bound"},
                                             {waits.jvm_busy_python_waiting, "JVM-bound"},
                                             {waits.jvm_busy_python_busy, "both busy"},
                                             {waits.both_waiting, "both wait"}};
  std::ranges::stable_sort(parts, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> words;
  for (const auto& [ns, name] : parts) {
    const auto percent = std::lround(100.0 * static_cast<double>(ns) / static_cast<double>(total));
    if (percent > 0) words.push_back(fmt::format("{}% {}", percent, name));
  }
  const double waiting = static_cast<double>(waits.waiting_for_python) / static_cast<double>(total);
  return fmt::format("{} waiting for Python: {}", FormatShare(waiting), fmt::join(words, ", "));
}

}  // namespace sparkprof
