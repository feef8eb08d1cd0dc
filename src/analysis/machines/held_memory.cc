// SPDX-License-Identifier: Apache-2.0
#include "analysis/machines/held_memory.h"

#include <algorithm>

#include "base/saturate.h"

namespace sparkprof {

void HeldMemory::Add(const Sample& sample) {
  const int64_t bytes = bytes_.Of(sample);
  if (bytes == 0) return;
  Held& held = held_[{sample.thread, sample.task, sample.stack, sample.category}];
  AddSaturated(bytes, &held.bytes);
  held.count += bytes > 0 ? sample.count : -sample.count;
  if (bytes > 0) held.time_ns = std::min(held.time_ns, sample.time_ns);
}

std::vector<Sample> HeldMemory::Samples(EventId event) const {
  std::vector<Sample> samples;
  for (const auto& [key, held] : held_) {
    if (held.bytes <= 0) continue;
    const auto& [thread, task, stack, category] = key;
    samples.push_back({.stack = stack,
                       .thread = thread,
                       .task = task,
                       .event = event,
                       .category = category,
                       .time_ns = held.time_ns,
                       .weight = held.bytes,
                       .count = std::max<int64_t>(1, held.count)});
  }
  return samples;
}

}  // namespace sparkprof
