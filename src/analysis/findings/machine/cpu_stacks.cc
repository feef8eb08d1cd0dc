// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/machine/cpu_stacks.h"

#include "analysis/findings/rules.h"

namespace sparkprof {

std::unordered_map<StackId, int64_t> CpuOfStacks(const Application& application, const StageSummary& summary) {
  std::unordered_map<StackId, int64_t> by_stack;
  if (summary.cpu_samples_ns < kWorthwhileNs) return by_stack;
  const Profile& profile = application.profile;
  const EventId cpu = profile.Row(Event::kCpu);
  for (const uint32_t row : summary.samples) {
    const Sample& sample = profile.samples[row];
    if (sample.event == cpu) by_stack[sample.stack] += sample.weight;
  }
  return by_stack;
}

}  // namespace sparkprof
