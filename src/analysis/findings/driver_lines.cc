// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/driver_lines.h"

#include <algorithm>
#include <map>

#include "analysis/python/driver_programs.h"
#include "profiles/frame_origin.h"

namespace sparkprof {
namespace {

constexpr size_t kDriverLinesShown = 3;
constexpr int64_t kSomeCpuNs = 200'000'000;  // less is no line's work

// The innermost frame of the user's Python program; empty if it waits for the JVM or has none.
std::string LineOfDriver(const Profile& profile, StackId stack) {
  for (; stack != 0; stack = profile.stacks.Get(stack).parent) {
    const Frame& frame = profile.frames.Get(profile.stacks.Get(stack).frame);
    const FrameOrigin origin = OriginOf(profile.strings.Get(frame.name), profile.strings.Get(frame.file), frame.kind);
    if (origin == FrameOrigin::kSpark) return {};
    if (origin == FrameOrigin::kUser) return FrameLabel(profile.strings, frame);
  }
  return {};
}

}  // namespace

std::vector<std::string> DriverLines(const Application& application,
                                     const std::function<bool(int64_t time_ns)>& is_chosen) {
  const DriverPrograms drivers(application);
  const EventId cpu = application.profile.Row(Event::kCpu), wall = application.profile.Row(Event::kWall);
  std::map<std::string, int64_t> by_cpu, by_wall;
  int64_t cpu_ns = 0;
  for (const Sample& sample : application.python_samples) {
    const bool is_cpu = sample.event == cpu;
    if ((!is_cpu && sample.event != wall) || !is_chosen(sample.time_ns) || !drivers.Has(sample)) continue;
    const std::string line = LineOfDriver(application.profile, sample.stack);
    if (line.empty()) continue;
    (is_cpu ? by_cpu : by_wall)[line] += sample.weight;
    if (is_cpu) cpu_ns += sample.weight;
  }
  std::vector<std::pair<int64_t, std::string>> lines;
  for (const auto& [line, weight] : cpu_ns >= kSomeCpuNs ? by_cpu : by_wall) lines.emplace_back(weight, line);
  std::sort(lines.rbegin(), lines.rend());
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min(lines.size(), kDriverLinesShown); ++i) texts.push_back(lines[i].second);
  return texts;
}

}  // namespace sparkprof
