// SPDX-License-Identifier: Apache-2.0
#include "analysis/python/held_lines.h"

#include <algorithm>
#include <numeric>

#include "analysis/machines/held_memory.h"
#include "analysis/python/driver_lines.h"
#include "base/saturate.h"
#include "profiles/frame_origin.h"

namespace sparkprof {
namespace {

std::vector<const Sample*> SamplesOf(const Application& application, const SignedBytes& bytes, int32_t executor,
                                     PythonPart part) {
  const DriverPrograms programs(application);
  std::vector<const Sample*> samples;
  for (const Sample& sample : application.python_samples) {
    if (bytes.Of(sample) == 0 || application.ExecutorOf(sample) != executor) continue;
    if (programs.Has(sample) == (part == PythonPart::kProgram)) samples.push_back(&sample);
  }
  return samples;
}

// The bucket in which most is held; nullopt if nothing is.
std::optional<int64_t> PeakBucket(const std::vector<const Sample*>& samples, const SignedBytes& bytes, int64_t from_ns,
                                  int64_t to_ns) {
  std::map<int64_t, int64_t> changes;  // by bucket
  for (const Sample* sample : samples) AddSaturated(bytes.Of(*sample), &changes[sample->time_ns]);
  std::optional<int64_t> peak;
  int64_t held = 0, most = 0;
  for (const auto& [time_ns, change] : changes) {
    AddSaturated(change, &held);
    if (time_ns < from_ns || time_ns > to_ns || held <= most) continue;
    most = held;
    peak = time_ns;
  }
  return peak;
}

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

std::string UserLine(const Profile& profile, StackId stack) {
  for (; stack != 0; stack = profile.stacks.Get(stack).parent) {
    const Frame& frame = profile.frames.Get(profile.stacks.Get(stack).frame);
    if (OriginOf(profile.strings.Get(frame.name), profile.strings.Get(frame.file), frame.kind) == FrameOrigin::kUser)
      return FrameLabel(profile.strings, frame);
  }
  return {};
}

std::optional<HeldLines> MostHeld(const Application& application, int32_t executor, PythonPart part, int64_t from_ns,
                                  int64_t to_ns) {
  const Profile& profile = application.profile;
  const SignedBytes bytes(profile, Event::kPythonAlloc, Event::kPythonFree);
  const std::vector<const Sample*> samples = SamplesOf(application, bytes, executor, part);
  const std::optional<int64_t> peak = PeakBucket(samples, bytes, from_ns, to_ns);
  if (!peak) return std::nullopt;
  HeldMemory memory(bytes);
  for (const Sample* sample : samples) {
    if (sample->time_ns <= *peak) memory.Add(*sample);
  }
  HeldLines held{executor, *peak + profile.bucket_ns, 0, {}};
  std::map<StackId, std::string> names;
  std::map<std::string, HeldLine> lines;
  for (const Sample& sample : memory.Samples(profile.Row(Event::kPythonAlloc))) {
    AddSaturated(sample.weight, &held.bytes);
    const auto [name, is_new] = names.try_emplace(sample.stack);
    if (is_new) name->second = UserLine(profile, sample.stack);
    if (name->second.empty()) continue;
    HeldLine& line = lines[name->second];
    line.line = name->second;
    AddSaturated(sample.weight, &line.bytes);
    if (sample.category != Category::kTask) continue;
    AddSaturated(sample.weight, &line.by_task[{profile.threads[sample.thread].process, sample.task}]);
  }
  for (auto& [name, line] : lines) held.lines.push_back(std::move(line));
  std::ranges::stable_sort(held.lines, std::greater(), &HeldLine::bytes);
  return held;
}

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
