// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <tuple>
#include <vector>

#include "model/profile.h"

namespace sparkprof {

// Calls `group(samples)` for the samples of each stack, thread and task: those of all events and times together.
template <typename Group>
void ForEachSampleGroup(const Profile& profile, Group&& group) {
  const auto key = [](const Sample& sample) { return std::tuple(sample.stack, sample.thread, sample.task); };
  std::vector<Sample> samples = profile.samples;
  std::stable_sort(samples.begin(), samples.end(), [&](const Sample& a, const Sample& b) { return key(a) < key(b); });
  for (size_t begin = 0; begin < samples.size();) {
    size_t end = begin + 1;
    while (end < samples.size() && key(samples[end]) == key(samples[begin])) ++end;
    group(std::span<const Sample>(samples).subspan(begin, end - begin));
    begin = end;
  }
}

}  // namespace sparkprof
