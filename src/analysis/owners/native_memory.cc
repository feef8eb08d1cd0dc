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
#include "analysis/machines/series.h"
#include "analysis/python/driver_lines.h"
#include "base/saturate.h"
#include "base/time.h"

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

using Points = std::vector<SeriesPoint>;

constexpr int64_t kHeldOnNs = 2 * kNanosPerSecond;  // validity of a process's last reading: readings are seconds apart

// The last value at that time; nullopt before the first one.
std::optional<int64_t> ValueAt(const Points* points, int64_t time_ns) {
  if (points == nullptr) return std::nullopt;
  const auto next = std::upper_bound(points->begin(), points->end(), time_ns,
                                     [](int64_t time, const SeriesPoint& point) { return time < point.time_ns; });
  if (next == points->begin()) return std::nullopt;
  return static_cast<int64_t>(std::prev(next)->value);
}

struct Recorded {
  std::map<std::string_view, const Points*> of_jvm;
  std::map<int32_t, const Points*> of_python;   // by process; proportional memory if recorded
  std::map<int32_t, const Points*> of_program;  // the driver's program only
  std::map<int32_t, const Points*> of_arrow;    // by process

  std::optional<int64_t> At(std::string_view series, int64_t time_ns) const {
    const auto found = of_jvm.find(series);
    return found == of_jvm.end() ? std::nullopt : ValueAt(found->second, time_ns);
  }

  // The sum of the processes that run then, by the readings of their memory.
  std::optional<int64_t> SumAt(const std::map<int32_t, const Points*>& by_process, int64_t time_ns) const {
    std::optional<int64_t> sum;
    for (const auto& [process, points] : by_process) {
      const auto resident = of_python.find(process);
      if (resident == of_python.end() || resident->second->back().time_ns + kHeldOnNs < time_ns) continue;
      if (const std::optional<int64_t> bytes = ValueAt(points, time_ns)) sum = sum.value_or(0) + *bytes;
    }
    return sum;
  }
};

std::map<int32_t, Recorded> RecordedOf(const Application& application) {
  std::map<int32_t, Recorded> executors;
  for (const ApplicationSeries& series : application.series) {
    if (series.process < 0 || series.points.empty()) continue;
    const std::string_view role = application.processes[static_cast<size_t>(series.process)].process.role;
    Recorded& recorded = executors[series.executor];
    if (role == "jvm") recorded.of_jvm.try_emplace(series.name, &series.points);
    const bool is_program = role == kDriverProgramRole;
    if (!IsPython(role) && !is_program) continue;
    if (series.name == "process.pss_bytes") recorded.of_python[series.process] = &series.points;
    if (series.name == "process.rss_bytes") {
      recorded.of_python.try_emplace(series.process, &series.points);
      if (is_program) recorded.of_program[series.process] = &series.points;
    }
    if (series.name == "process.arrow_bytes") recorded.of_arrow[series.process] = &series.points;
  }
  return executors;
}

std::optional<int64_t> Sum(std::optional<int64_t> a, std::optional<int64_t> b) {
  return a || b ? std::optional<int64_t>(a.value_or(0) + b.value_or(0)) : std::nullopt;
}

// Series of one executor; null = not sampled.
struct SampledPoints {
  const Points* native = nullptr;
  const Points* python = nullptr;
};

MemoryParts PartsAt(const Recorded& recorded, const SampledPoints& sampled, int64_t resident, int64_t time_ns) {
  MemoryParts parts;
  parts.time_ns = time_ns;
  parts.heap_used = recorded.At("jvm.heap_used_bytes", time_ns);
  parts.heap_committed = recorded.At("jvm.heap_committed_bytes", time_ns);
  parts.limit = recorded.At("process.memory_limit_bytes", time_ns);
  parts.metaspace = recorded.At("jvm.metaspace_used_bytes", time_ns);
  parts.spark_off_heap =
      Sum(recorded.At("spark.off_heap_execution_bytes", time_ns), recorded.At("spark.off_heap_storage_bytes", time_ns));
  parts.direct_buffers = recorded.At("jvm.buffers.direct_used_bytes", time_ns);
  // Sampled memory includes that of Spark and of direct buffers.
  if (sampled.native != nullptr) {
    const int64_t others = parts.spark_off_heap.value_or(0) + parts.direct_buffers.value_or(0);
    parts.native = std::max<int64_t>(0, ValueAt(sampled.native, time_ns).value_or(0) - others);
  }
  parts.python = recorded.SumAt(recorded.of_python, time_ns);
  parts.program = recorded.SumAt(recorded.of_program, time_ns);
  if (sampled.python != nullptr && parts.python) {
    parts.python_live = ValueAt(sampled.python, time_ns).value_or(0);
    parts.arrow = recorded.SumAt(recorded.of_arrow, time_ns);
    parts.other_native = std::max<int64_t>(0, *parts.python - *parts.python_live - parts.arrow.value_or(0));
  }
  parts.total = resident + parts.python.value_or(0);
  int64_t known = 0;
  for (const auto& part :
       {parts.heap_used, parts.metaspace, parts.spark_off_heap, parts.direct_buffers, parts.native}) {
    known += part.value_or(0);
  }
  parts.untracked = std::max<int64_t>(0, resident - known);
  return parts;
}

}  // namespace

bool RecordsNativeReleases(const Application& application) {
  return std::ranges::any_of(application.settings, [](const ProfilerSetting& setting) {
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
    std::ranges::stable_sort(of_executor, std::greater(), &NativeUse::bytes);
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

std::vector<MemoryParts> MemoryOverTime(const Application& application) {
  const std::map<int32_t, Points> native = NativeMemoryInUse(application), python = PythonMemoryInUse(application);
  const auto points_of = [](const std::map<int32_t, Points>& points, int32_t executor) {
    const auto found = points.find(executor);
    return found == points.end() ? nullptr : &found->second;
  };
  std::vector<MemoryParts> rows;
  for (const auto& [executor, recorded] : RecordedOf(application)) {
    const auto resident = recorded.of_jvm.find("process.rss_bytes");
    if (resident == recorded.of_jvm.end()) continue;
    const SampledPoints sampled{points_of(native, executor), points_of(python, executor)};
    for (const SeriesPoint& point : *resident->second) {
      rows.push_back(PartsAt(recorded, sampled, static_cast<int64_t>(point.value), point.time_ns));
      rows.back().executor = executor;
    }
  }
  return rows;
}

}  // namespace sparkprof
