// SPDX-License-Identifier: Apache-2.0
#include "analysis/owners/native_memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/machines/held_memory.h"
#include "base/saturate.h"

namespace sparkprof {
namespace {

constexpr int64_t kEarliest = std::numeric_limits<int64_t>::min(), kLatest = std::numeric_limits<int64_t>::max();

SignedBytes NativeBytes(const Profile& profile) { return {profile, Event::kMalloc, Event::kFree}; }

// Bytes in use by executor row, at the end of each time bucket with a change.
std::map<int32_t, std::vector<SeriesPoint>> InUse(const Application& application, const std::vector<Sample>& samples,
                                                  const SignedBytes& signed_bytes) {
  std::map<std::pair<int32_t, int64_t>, int64_t> changes;  // by executor and bucket
  for (const Sample& sample : samples) {
    const int64_t bytes = signed_bytes.Of(sample);
    if (bytes != 0) AddSaturated(bytes, &changes[{application.ExecutorOf(sample), sample.time_ns}]);
  }
  std::map<int32_t, std::vector<SeriesPoint>> in_use;
  for (const auto& [place, bytes] : changes) {
    std::vector<SeriesPoint>& points = in_use[place.first];
    const double before = points.empty() ? 0 : points.back().value;
    points.push_back(
        {place.second + application.profile.bucket_ns, std::max(0.0, before + static_cast<double>(bytes))});
  }
  return in_use;
}

}  // namespace

bool RecordsNativeReleases(const Application& application) {
  return std::any_of(application.settings.begin(), application.settings.end(), [](const ProfilerSetting& setting) {
    return setting.name == "nativemem.live" && setting.value == "true";
  });
}

std::map<int32_t, std::vector<SeriesPoint>> NativeMemoryInUse(const Application& application) {
  if (!RecordsNativeReleases(application)) return {};
  return InUse(application, application.profile.samples, NativeBytes(application.profile));
}

std::map<int32_t, std::vector<SeriesPoint>> PythonMemoryInUse(const Application& application) {
  // Once both languages are merged, all samples are in one place.
  const bool is_merged = application.python_samples.empty();
  return InUse(application, is_merged ? application.profile.samples : application.python_samples,
               {application.profile, Event::kPythonAlloc, Event::kPythonFree});
}

std::map<int32_t, std::vector<NativeUse>> NativeUses(const Application& application,
                                                     const std::map<int32_t, int64_t>& times_ns) {
  const Profile& profile = application.profile;
  HeldMemory held(NativeBytes(profile));
  for (const Sample& sample : profile.samples) {
    const auto time = times_ns.find(application.ExecutorOf(sample));
    if (time != times_ns.end() && sample.time_ns <= time->second) held.Add(sample);
  }
  const SampleOwners owners(application);
  std::map<std::tuple<int32_t, OwnerName, StackId>, int64_t> sums;
  for (const Sample& sample : held.Samples(profile.Row(Event::kMalloc))) {
    const OwnerName unknown(OwnerKind::kBackground, "threads without a name");
    AddSaturated(sample.weight,
                 &sums[{application.ExecutorOf(sample), owners.OfJvm(sample).value_or(unknown), sample.stack}]);
  }
  std::map<int32_t, std::vector<NativeUse>> uses;
  for (const auto& [key, bytes] : sums) {
    const auto& [executor, owner, stack] = key;
    uses[executor].push_back({owner, stack, bytes});
  }
  for (auto& [executor, of_executor] : uses) {
    std::stable_sort(of_executor.begin(), of_executor.end(),
                     [](const NativeUse& a, const NativeUse& b) { return a.bytes > b.bytes; });
  }
  return uses;
}

void KeepUnreleased(std::optional<int64_t> from_ns, std::optional<int64_t> to_ns, Profile* profile) {
  HeldMemory held(NativeBytes(*profile));
  for (const Sample& sample : profile->samples) {
    if (sample.time_ns >= from_ns.value_or(kEarliest) && sample.time_ns <= to_ns.value_or(kLatest)) held.Add(sample);
  }
  const EventId malloc = profile->Row(Event::kMalloc);
  std::erase_if(profile->samples, [&](const Sample& sample) { return sample.event == malloc; });
  for (const Sample& sample : held.Samples(malloc)) profile->samples.push_back(sample);
}

std::string CallPath(const Profile& profile, StackId stack, size_t most) {
  std::vector<FrameId> path;
  profile.stacks.Unwind(stack, &path);
  std::vector<std::string_view> names;
  for (const FrameId frame : path) {
    const std::string_view name = profile.strings.Get(profile.frames.Get(frame).name);
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  if (names.size() > most) names.erase(names.begin(), names.end() - static_cast<std::ptrdiff_t>(most));
  return fmt::format("{}", fmt::join(names, " → "));
}

}  // namespace sparkprof
