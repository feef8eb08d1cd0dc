// SPDX-License-Identifier: Apache-2.0
#include "analysis/python/python_held.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "analysis/machines/held_memory.h"
#include "base/saturate.h"

namespace sparkprof {
namespace {

// Start of the bucket in which most is held; nullopt = none. A range that begins later than all changes has what is
// held at its begin.
std::optional<int64_t> FindPeak(const std::map<int64_t, int64_t>& changes, const HeldRange& range, int64_t bucket_ns) {
  std::optional<int64_t> peak;
  int64_t held = 0, most = 0;
  for (const auto& [time_ns, bytes] : changes) {
    if (range.to_ns && time_ns >= *range.to_ns) break;
    AddSaturated(bytes, &held);
    const bool is_before = range.from_ns && time_ns + bucket_ns <= *range.from_ns;
    if (!is_before && held <= most) continue;
    most = held;
    peak = time_ns;
  }
  return peak;
}

}  // namespace

void SetPythonHeld(const std::vector<uint32_t>& rows, const HeldRange& range, Profile* profile) {
  if (profile->Row(Event::kPythonAlloc) == kNoEvent) return;
  const SignedBytes bytes(*profile, Event::kPythonAlloc, Event::kPythonFree);
  std::map<int64_t, int64_t> changes;  // by bucket
  for (const uint32_t row : rows) {
    const Sample& sample = profile->samples[row];
    AddSaturated(bytes.Of(sample), &changes[sample.time_ns]);
  }
  const std::optional<int64_t> peak = FindPeak(changes, range, profile->bucket_ns);
  HeldMemory held(bytes);
  for (const uint32_t row : rows) {
    const Sample& sample = profile->samples[row];
    if (peak && sample.time_ns <= *peak) held.Add(sample);
  }
  const EventId live = profile->AddEvent(Event::kPythonLive);
  std::erase_if(profile->samples, [&](const Sample& sample) { return sample.event == live; });
  for (Sample sample : held.Samples(live)) {
    sample.time_ns = std::max(*peak, range.from_ns.value_or(*peak));
    profile->samples.push_back(sample);
  }
}

void SetPythonHeld(Profile* profile) {
  std::vector<uint32_t> rows(profile->samples.size());
  std::iota(rows.begin(), rows.end(), 0U);
  SetPythonHeld(rows, {}, profile);
}

}  // namespace sparkprof
