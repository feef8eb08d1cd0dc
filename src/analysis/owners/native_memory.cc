// SPDX-License-Identifier: Apache-2.0
#include "analysis/owners/native_memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/saturate.h"

namespace sparkprof {
namespace {

constexpr int64_t kEarliest = std::numeric_limits<int64_t>::min(), kLatest = std::numeric_limits<int64_t>::max();

// Allocated bytes of a sample, negative for a release; 0 = another event.
class SignedBytes {
 public:
  explicit SignedBytes(const Profile& profile)
      : malloc_(profile.Row(Event::kMalloc)), free_(profile.Row(Event::kFree)) {}

  int64_t Of(const Sample& sample) const {
    if (sample.event == malloc_) return sample.weight;
    return sample.event == free_ ? -sample.weight : 0;
  }

 private:
  const EventId malloc_, free_;
};

// Allocations of a thread minus their releases.
struct Held {
  int64_t bytes = 0;
  int64_t count = 0;
  int64_t time_ns = kLatest;  // time of the first allocation
};

using HeldKey = std::tuple<uint32_t, uint32_t, StackId, Category>;  // thread, task, stack, category

class HeldMemory {
 public:
  explicit HeldMemory(const Profile& profile) : bytes_(profile) {}

  void Add(const Sample& sample) {
    const int64_t bytes = bytes_.Of(sample);
    if (bytes == 0) return;
    Held& held = held_[{sample.thread, sample.task, sample.stack, sample.category}];
    AddSaturated(bytes, &held.bytes);
    held.count += bytes > 0 ? sample.count : -sample.count;
    if (bytes > 0) held.time_ns = std::min(held.time_ns, sample.time_ns);
  }

  // Rows of held memory; excludes releases of memory allocated before the first sample.
  std::vector<Sample> Samples(EventId event) const {
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

 private:
  const SignedBytes bytes_;
  std::map<HeldKey, Held> held_;
};

}  // namespace

bool RecordsNativeReleases(const Application& application) {
  return std::any_of(application.settings.begin(), application.settings.end(), [](const ProfilerSetting& setting) {
    return setting.name == "nativemem.live" && setting.value == "true";
  });
}

std::map<int32_t, std::vector<SeriesPoint>> NativeMemoryInUse(const Application& application) {
  std::map<int32_t, std::vector<SeriesPoint>> in_use;
  if (!RecordsNativeReleases(application)) return in_use;
  const SignedBytes signed_bytes(application.profile);
  std::map<std::pair<int32_t, int64_t>, int64_t> changes;  // by executor and bucket
  for (const Sample& sample : application.profile.samples) {
    const int64_t bytes = signed_bytes.Of(sample);
    if (bytes != 0) AddSaturated(bytes, &changes[{application.ExecutorOf(sample), sample.time_ns}]);
  }
  for (const auto& [place, bytes] : changes) {
    std::vector<SeriesPoint>& points = in_use[place.first];
    const double before = points.empty() ? 0 : points.back().value;
    points.push_back(
        {place.second + application.profile.bucket_ns, std::max(0.0, before + static_cast<double>(bytes))});
  }
  return in_use;
}

std::map<int32_t, std::vector<NativeUse>> NativeUses(const Application& application,
                                                     const std::map<int32_t, int64_t>& times_ns) {
  const Profile& profile = application.profile;
  HeldMemory held(profile);
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
  HeldMemory held(*profile);
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
