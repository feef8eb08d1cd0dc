// SPDX-License-Identifier: Apache-2.0
#include "analysis/owners/task_remainders.h"

#include <algorithm>

#include "base/saturate.h"
#include "model/task_index.h"

namespace sparkprof {

TaskRemainders::TaskRemainders(const Application& application)
    : application_(application), sampled_ns_(application.profile.tasks.size()) {}

void TaskRemainders::AddSample(uint32_t task, int64_t cpu_ns) { AddSaturated(cpu_ns, &sampled_ns_[task]); }

std::map<std::pair<int32_t, OwnerName>, int64_t> TaskRemainders::Differences() const {
  const Tasks& tasks = application_.tasks;
  std::vector<int64_t> sampled_ns(tasks.Size());
  const TaskIndex index(tasks);
  for (size_t row = 1; row < sampled_ns_.size(); ++row) {
    const int32_t task = sampled_ns_[row] == 0 ? -1 : index.Row(application_.profile.tasks[row].task);
    if (task >= 0) AddSaturated(sampled_ns_[row], &sampled_ns[static_cast<size_t>(task)]);
  }
  struct Sums {
    int64_t sampled_ns = 0;
    int64_t least_ns = 0;
    int64_t most_ns = 0;  // including serialization of results
  };
  std::map<std::pair<int32_t, int32_t>, Sums> stages;  // by executor row and stage row
  for (size_t row = 0; row < tasks.Size(); ++row) {
    int64_t cpu_ns = tasks.Column(TaskMetric::kExecutorCpuTime)[row];
    AddSaturated(tasks.Column(TaskMetric::kDeserializeCpuTime)[row], &cpu_ns);
    if (cpu_ns <= 0 || tasks.executor[row] < 0 || tasks.stage[row] < 0) continue;
    Sums& sums = stages[{tasks.executor[row], tasks.stage[row]}];
    AddSaturated(sampled_ns[row], &sums.sampled_ns);
    AddSaturated(cpu_ns, &sums.least_ns);
    AddSaturated(cpu_ns, &sums.most_ns);
    AddSaturated(std::max<int64_t>(0, tasks.Column(TaskMetric::kResultSerializationTime)[row]), &sums.most_ns);
  }
  std::map<std::pair<int32_t, OwnerName>, int64_t> differences;
  for (const auto& [place, sums] : stages) {
    const Stage& stage = application_.stages[static_cast<size_t>(place.second)];
    const int64_t expected_ns = std::clamp(sums.sampled_ns, sums.least_ns, sums.most_ns);
    if (expected_ns == sums.sampled_ns) continue;
    differences[{place.first, OwnerOfStage(stage.id, stage.attempt)}] += expected_ns - sums.sampled_ns;
  }
  return differences;
}

}  // namespace sparkprof
