// SPDX-License-Identifier: Apache-2.0
#include "analysis/python/driver_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "analysis/machines/series.h"
#include "base/share.h"
#include "base/text/text.h"
#include "profiles/frame_origin.h"

namespace sparkprof {

std::string DriverProgramsInWords(const Application& application) {
  double cpu_ns = 0, first_bytes = 0, peak_bytes = 0;
  for (const ApplicationSeries& series : application.series) {
    if (series.process < 0 || series.points.empty()) continue;
    if (application.processes[static_cast<size_t>(series.process)].process.role != kDriverProgramRole) continue;
    const std::string_view name = series.name;
    if (name == "process.cpu_ns") cpu_ns += Growth(series);
    if (name == "process.rss_bytes" && first_bytes == 0) first_bytes = series.points.front().value;
    if (name != "process.rss_bytes" && name != "process.rss_peak_bytes") continue;
    for (const SeriesPoint& point : series.points) peak_bytes = std::max(peak_bytes, point.value);
  }
  if (peak_bytes == 0) return {};
  return fmt::format("{} CPU, resident memory from {} to {}", FormatDuration(static_cast<int64_t>(cpu_ns)),
                     FormatBytes(static_cast<int64_t>(first_bytes)), FormatBytes(static_cast<int64_t>(peak_bytes)));
}

namespace {

constexpr size_t kDriverLinesShown = 3;
constexpr int64_t kSomeCpuNs = 200'000'000;  // less is not attributed to a line

FrameOrigin OriginIn(const Profile& profile, const Frame& frame) {
  return OriginOf(profile.strings.Get(frame.name), profile.strings.Get(frame.file), frame.kind);
}

// The outermost frame of the user's Python program.
std::string OuterLineOfDriver(const Profile& profile, StackId stack) {
  std::string line;
  for (; stack != 0; stack = profile.stacks.Get(stack).parent) {
    const Frame& frame = profile.frames.Get(profile.stacks.Get(stack).frame);
    if (OriginIn(profile, frame) == FrameOrigin::kUser) line = FrameLabel(profile.strings, frame);
  }
  return line;
}

// The innermost frame of the user's Python program; empty if there is none, or if it is inside a call of Spark and
// `in_spark` is false.
std::string LineOfDriver(const Profile& profile, StackId stack, bool in_spark) {
  for (; stack != 0; stack = profile.stacks.Get(stack).parent) {
    const Frame& frame = profile.frames.Get(profile.stacks.Get(stack).frame);
    const FrameOrigin origin = OriginIn(profile, frame);
    if (origin == FrameOrigin::kSpark && !in_spark) return {};
    if (origin == FrameOrigin::kUser) return FrameLabel(profile.strings, frame);
  }
  return {};
}

// True if the user's line is creating Spark's session or context.
bool StartsSpark(const Profile& profile, StackId stack) {
  for (; stack != 0; stack = profile.stacks.Get(stack).parent) {
    const Frame& frame = profile.frames.Get(profile.stacks.Get(stack).frame);
    const FrameOrigin origin = OriginIn(profile, frame);
    if (origin == FrameOrigin::kUser) return false;
    if (origin != FrameOrigin::kSpark) continue;
    const std::string_view name = profile.strings.Get(frame.name);
    if (name.ends_with("getOrCreate") || name.ends_with("_do_init")) return true;
  }
  return false;
}

// The line with the most time; empty if no time is of a line.
std::string LargestOf(std::map<std::string, int64_t> by_line) {
  by_line.erase("");
  const auto most = LargestEntry(by_line);
  return most == by_line.end() ? std::string() : most->first;
}

// Calls `use` with the wall-clock samples of the driver's program, in Python and on the main thread of its JVM.
template <typename Use>
void ForEachWallSample(const Application& application, Use&& use) {
  const Profile& profile = application.profile;
  const EventId wall = profile.Row(Event::kWall);
  const DriverPrograms drivers(application);
  for (const Sample& sample : application.python_samples) {
    if (sample.event == wall && drivers.Has(sample)) use(sample);
  }
  for (const Sample& sample : profile.samples) {
    if (sample.event != wall || sample.task != 0 || profile.threads[sample.thread].name != "main") continue;
    const int32_t executor = application.ExecutorOf(sample);
    if (executor >= 0 && application.executors[static_cast<size_t>(executor)].id == "driver") use(sample);
  }
}

// The innermost Python frame: skips native functions that its line called.
StackId PythonLeaf(const Profile& profile, StackId stack) {
  const StackId leaf = stack;
  while (stack != 0 && profile.frames.Get(profile.stacks.Get(stack).frame).kind == FrameKind::kNative)
    stack = profile.stacks.Get(stack).parent;
  return stack == 0 ? leaf : stack;
}

}  // namespace

DriverTimes TimesOfDriver(const Application& application, const std::function<bool(int64_t time_ns)>& is_chosen) {
  const DriverPrograms drivers(application);
  const EventId cpu = application.profile.Row(Event::kCpu), wall = application.profile.Row(Event::kWall);
  DriverTimes times;
  for (const Sample& sample : application.python_samples) {
    const bool is_cpu = sample.event == cpu;
    if ((!is_cpu && sample.event != wall) || !is_chosen(sample.time_ns) || !drivers.Has(sample)) continue;
    const std::string line = LineOfDriver(application.profile, sample.stack, false);
    if (!line.empty()) (is_cpu ? times.by_cpu : times.by_wall)[line] += sample.weight;
  }
  return times;
}

std::vector<std::string> DriverLines(const Application& application,
                                     const std::function<bool(int64_t time_ns)>& is_chosen) {
  const DriverTimes times = TimesOfDriver(application, is_chosen);
  int64_t cpu_ns = 0;
  for (const auto& [line, weight] : times.by_cpu) cpu_ns += weight;
  std::vector<std::pair<int64_t, std::string>> lines;
  for (const auto& [line, weight] : cpu_ns >= kSomeCpuNs ? times.by_cpu : times.by_wall)
    lines.emplace_back(weight, line);
  std::sort(lines.rbegin(), lines.rend());
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min(lines.size(), kDriverLinesShown); ++i) texts.push_back(lines[i].second);
  return texts;
}

DriverSleep SleepOfDriver(const Application& application, const std::function<bool(int64_t time_ns)>& is_chosen) {
  constexpr double kMostlyOneLine = 0.8;
  const DriverPrograms drivers(application);
  const Profile& profile = application.profile;
  const EventId wall = profile.Row(Event::kWall);
  int64_t all_ns = 0, sleeping_ns = 0, most_ns = 0;
  std::map<std::string, int64_t> by_outer_line;
  for (const Sample& sample : application.python_samples) {
    if (sample.event != wall || !is_chosen(sample.time_ns) || !drivers.Has(sample)) continue;
    if (sample.stack == 0 || LineOfDriver(profile, sample.stack, true).empty()) continue;
    all_ns += sample.weight;
    if (sample.state == ThreadState::kRunning) continue;
    const Frame& frame = profile.frames.Get(profile.stacks.Get(PythonLeaf(profile, sample.stack)).frame);
    if (OriginIn(profile, frame) != FrameOrigin::kUser) continue;
    sleeping_ns += sample.weight;
    most_ns = std::max(most_ns, by_outer_line[OuterLineOfDriver(profile, sample.stack)] += sample.weight);
  }
  return {.is_most = all_ns > 0 && 2 * sleeping_ns > all_ns,
          .is_of_one_line = static_cast<double>(most_ns) >= kMostlyOneLine * static_cast<double>(sleeping_ns)};
}

std::string LineThatCallsSpark(const Application& application, const std::function<bool(int64_t time_ns)>& is_chosen) {
  const DriverPrograms drivers(application);
  const EventId wall = application.profile.Row(Event::kWall);
  std::map<StackId, int64_t> by_stack;
  for (const Sample& sample : application.python_samples)
    if (sample.event == wall && is_chosen(sample.time_ns) && drivers.Has(sample))
      by_stack[sample.stack] += sample.weight;
  std::map<std::string, int64_t> by_line;
  for (const auto& [stack, weight] : by_stack) by_line[LineOfDriver(application.profile, stack, true)] += weight;
  return LargestOf(std::move(by_line));
}

std::string LineThatStartsSpark(const Application& application) {
  const Profile& profile = application.profile;
  std::map<StackId, int64_t> by_stack;
  ForEachWallSample(application, [&](const Sample& sample) { by_stack[sample.stack] += sample.weight; });
  std::map<std::string, int64_t> by_line;
  for (const auto& [stack, weight] : by_stack)
    if (StartsSpark(profile, stack)) by_line[LineOfDriver(profile, stack, true)] += weight;
  return LargestOf(std::move(by_line));
}

std::vector<LineTimes> LinesOfTimes(const Application& application, const std::vector<TimeRange>& times) {
  struct Line {
    int64_t samples = 0, ns = 0;
  };
  const Profile& profile = application.profile;
  std::map<std::pair<size_t, StackId>, Line> by_stack;  // by row of `times`
  ForEachWallSample(application, [&](const Sample& sample) {
    const auto after =
        std::upper_bound(times.begin(), times.end(), sample.time_ns,
                         [](int64_t time_ns, const TimeRange& range) { return time_ns < range.start_ns; });
    if (after == times.begin() || sample.time_ns >= std::prev(after)->end_ns) return;
    Line& line = by_stack[{static_cast<size_t>(std::prev(after) - times.begin()), sample.stack}];
    line.samples += sample.count;
    line.ns += sample.weight;
  });
  std::vector<std::map<std::string, Line>> by_line(times.size());
  for (const auto& [key, of_stack] : by_stack) {
    const std::string text = LineOfDriver(profile, key.second, true);
    if (text.empty()) continue;
    Line& line = by_line[key.first][text];
    line.samples += of_stack.samples;
    line.ns += of_stack.ns;
  }
  std::vector<LineTimes> lines(times.size());
  for (size_t row = 0; row < times.size(); ++row) {
    int64_t all_ns = 0;
    for (const auto& [text, line] : by_line[row]) all_ns += line.ns;
    // Samples of a bucket count at its start, and several threads may run concurrently.
    const double scale =
        std::min(1.0, static_cast<double>(times[row].Duration()) / static_cast<double>(std::max<int64_t>(1, all_ns)));
    for (const auto& [text, line] : by_line[row]) {
      if (line.samples >= kLeastSamplesOfLine) lines[row].emplace(text, Scaled(line.ns, scale));
    }
  }
  return lines;
}

}  // namespace sparkprof
