// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/findings/python/python_work.h"
#include "analysis/findings/rules.h"
#include "analysis/selection/stack_kinds.h"
#include "base/text/text.h"
#include "profiles/frame_origin.h"

namespace sparkprof {
namespace {

constexpr double kMostlyAsleep = 0.5;  // share of samples of task threads
constexpr double kAlmostIdle = 0.1;    // cores used by a Python worker
constexpr size_t kLinesNamed = 3;
constexpr std::string_view kTaskThread = "Executor task launch worker";

struct SleepingPlaces {
  int64_t sleep_ns = 0;
  int64_t all_ns = 0;
  std::vector<WaitPlace> places;  // longest first
};

bool HasFrame(const Profile& profile, StackId stack, std::string_view name) {
  for (; stack != 0; stack = profile.stacks.Get(stack).parent) {
    if (profile.strings.Get(profile.frames.Get(profile.stacks.Get(stack).frame).name) == name) return true;
  }
  return false;
}

// Wall time per stack over the threads with this name prefix; an empty prefix selects all samples.
std::unordered_map<StackId, int64_t> WallByStack(const Profile& profile, std::string_view prefix) {
  const EventId wall = profile.Row(Event::kWall);
  std::vector<bool> is_wanted;  // indexed by thread
  for (const auto& thread : profile.threads) is_wanted.push_back(std::string_view(thread.name).starts_with(prefix));
  std::unordered_map<StackId, int64_t> by_stack;
  for (const Sample& sample : profile.samples) {
    if (sample.event == wall && (prefix.empty() || is_wanted[sample.thread])) by_stack[sample.stack] += sample.weight;
  }
  return by_stack;
}

// Places where task threads of the JVMs sleep.
SleepingPlaces InJvms(const FindingInput& input) {
  const Profile& profile = input.application.profile;
  SleepingPlaces found;
  std::map<StackId, int64_t> by_stack;
  for (const auto& [stack, weight] : WallByStack(profile, kTaskThread)) {
    found.all_ns += weight;
    if (!HasFrame(profile, stack, "java.lang.Thread.sleep")) continue;
    found.sleep_ns += weight;
    by_stack[stack] = weight;
  }
  found.places = PlacesOf(input.application, by_stack);
  return found;
}

// Finds the user's innermost line of Python in stacks. Stacks share most frames, so each frame is classified once.
class UserLines {
 public:
  explicit UserLines(const Profile& profile) : profile_(profile), origins_(profile.frames.Size()) {}

  // Empty if there is none.
  std::string Of(StackId stack) {
    for (; stack != 0; stack = profile_.stacks.Get(stack).parent) {
      const FrameId id = profile_.stacks.Get(stack).frame;
      const FrameOrigin origin = Origin(id);
      if (origin == FrameOrigin::kSpark) return {};
      const Frame& frame = profile_.frames.Get(id);
      if (frame.kind == FrameKind::kPython && origin == FrameOrigin::kUser) return FrameLabel(profile_.strings, frame);
    }
    return {};
  }

 private:
  FrameOrigin Origin(FrameId id) {
    if (!origins_[id]) {
      const Frame& frame = profile_.frames.Get(id);
      origins_[id] = OriginOf(profile_.strings.Get(frame.name), profile_.strings.Get(frame.file), frame.kind);
    }
    return *origins_[id];
  }

  const Profile& profile_;
  std::vector<std::optional<FrameOrigin>> origins_;  // indexed by frame
};

// True if the function is named after sleeping: "secondsSleep (helper.py:44)".
bool IsCalledSleep(std::string_view line) {
  return ToLowerAscii(line.substr(0, line.find(' '))).find("sleep") != std::string::npos;
}

// Places in Python workers that use almost no CPU; without a series of CPU usage, functions whose names say that they
// sleep.
SleepingPlaces InPython(const FindingInput& input, const PythonLoad& load) {
  const Profile& profile = input.application.profile;
  SleepingPlaces found;
  const bool is_known = load.span_ns > 0;
  if (is_known && load.cores > kAlmostIdle) return found;
  std::map<std::string, int64_t> by_line;
  UserLines lines(profile);
  for (const auto& [stack, weight] : WallByStack(profile, "")) {
    const std::string line = lines.Of(stack);
    if (line.empty()) continue;
    found.all_ns += weight;
    if (!is_known && !IsCalledSleep(line)) continue;
    found.sleep_ns += weight;
    by_line[line] += weight;
  }
  for (const auto& [line, weight] : by_line) found.places.push_back({line, weight});
  std::stable_sort(found.places.begin(), found.places.end(),
                   [](const WaitPlace& a, const WaitPlace& b) { return a.weight_ns > b.weight_ns; });
  if (is_known && found.all_ns == 0) found.all_ns = found.sleep_ns = load.span_ns;
  return found;
}

// The time of the application's tasks from its stages, otherwise from their samples.
int64_t TimeOfTasks(const FindingInput& input, int64_t sampled_ns) {
  int64_t time_ns = 0;
  for (const StageSummary& stage : input.stages) {
    int64_t begin_ns = 0, end_ns = 0;
    time_ns += TaskSpan(input, stage, &begin_ns, &end_ns);
  }
  return std::min(input.duration_ns, time_ns > 0 ? time_ns : sampled_ns);
}

}  // namespace

std::optional<Finding> FindSleepInRecords(const FindingInput& input) {
  // FindSleep handles samples that belong to tasks.
  const bool has_stages = std::any_of(input.stages.begin(), input.stages.end(), [](const StageSummary& stage) {
    return stage.Total(TaskMetric::kExecutorRunTime) > 0 || !stage.python_samples.empty();
  });
  if (has_stages) return std::nullopt;
  const PythonLoad load = LoadOfPython(input.application);
  const SleepingPlaces python = InPython(input, load), jvms = InJvms(input);
  const bool is_python = python.sleep_ns > jvms.sleep_ns;
  const SleepingPlaces& found = is_python ? python : jvms;
  const double share = Share(found.sleep_ns, found.all_ns);
  if (found.sleep_ns < kWorthwhileNs || share < kMostlyAsleep) return std::nullopt;
  Finding finding;
  for (const WaitPlace& place : found.places) {
    if (finding.frames.size() < kLinesNamed && Share(place.weight_ns, found.sleep_ns) >= 0.1)
      finding.frames.push_back(place.text);
  }
  if (!is_python) {
    finding.title = fmt::format("Task threads sleep for {} of their samples", FormatShare(share));
    finding.what = fmt::format("Task threads were in Thread.sleep for {} of {} of samples",
                               FormatDuration(found.sleep_ns), FormatDuration(found.all_ns));
  } else if (load.span_ns > 0) {
    finding.title = fmt::format("Python workers use {} of a core: they sleep or wait", FormatShare(load.cores));
    finding.what = fmt::format("The Python workers used {} of a core while they ran", FormatShare(load.cores));
  } else {
    finding.title = fmt::format("Python workers sleep for {} of their samples", FormatShare(share));
    finding.what =
        fmt::format("The Python workers were in functions called sleep for {} of their samples", FormatShare(share));
  }
  if (!finding.frames.empty()) finding.evidence = fmt::format("Waits in {}", fmt::join(finding.frames, ", "));
  finding.condition = fmt::format(
      "In records without task metrics: task threads are in Thread.sleep, or Python workers in functions called sleep, "
      "for at least {} of their samples; or Python workers use at most {} of a core",
      FormatShare(kMostlyAsleep), FormatShare(kAlmostIdle));
  finding.selection.event = EventName(Event::kWall);
  finding.change =
      "Remove the sleep; or request many records at once from the remote service (mapPartitions, a pool of threads), "
      "or run more tasks at once";
  const int64_t sampled_ns = is_python && load.span_ns > 0 ? load.span_ns : input.duration_ns;
  finding.claim = ClaimWall(static_cast<int64_t>(static_cast<double>(TimeOfTasks(input, sampled_ns)) * share), kWhole);
  return finding;
}

}  // namespace sparkprof
