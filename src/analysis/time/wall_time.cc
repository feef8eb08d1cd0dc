// SPDX-License-Identifier: Apache-2.0
#include "analysis/time/wall_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "analysis/plans/work_names.h"
#include "analysis/selection/time_range.h"

namespace sparkprof {
namespace {

constexpr uint32_t kDriver = UINT32_MAX;

// A span of the wall time, relative to the start.
struct WallSpan {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  uint32_t stage = kDriver;  // row of Application::stages, or kDriver

  int64_t Duration() const { return end_ns - begin_ns; }
};

std::vector<WallSpan> SpansOfStages(const Application& application, const TimeRange& range) {
  std::vector<WallSpan> spans;
  for (uint32_t row = 0; row < application.stages.size(); ++row) {
    const Stage& stage = application.stages[row];
    if (stage.submit_ns <= 0) continue;
    const int64_t end = stage.end_ns >= stage.submit_ns ? stage.end_ns : range.end_ns;
    const WallSpan span{std::clamp(stage.submit_ns, range.start_ns, range.end_ns) - range.start_ns,
                        std::clamp(end, range.start_ns, range.end_ns) - range.start_ns, row};
    if (span.Duration() > 0) spans.push_back(span);
  }
  return spans;
}

int64_t SumOfSpans(std::vector<WallSpan>::const_iterator begin, std::vector<WallSpan>::const_iterator end) {
  return std::accumulate(begin, end, int64_t{0},
                         [](int64_t sum, const WallSpan& span) { return sum + span.Duration(); });
}

void AddRest(size_t count, int64_t duration_ns, std::vector<WallPart>* parts) {
  if (count > 0) parts->push_back({fmt::format("{} shorter parts", count), -1, duration_ns, {}});
}

// The spans from the end of the application to its start.
std::vector<WallSpan> WalkBack(std::vector<WallSpan> stages, int64_t duration_ns) {
  std::sort(stages.begin(), stages.end(), [](const WallSpan& a, const WallSpan& b) { return a.end_ns > b.end_ns; });
  std::vector<WallSpan> path;
  int64_t now = duration_ns;
  for (size_t next = 0; now > 0;) {
    WallSpan earliest{now, now, kDriver};
    for (; next < stages.size() && stages[next].end_ns >= now; ++next) {
      if (stages[next].begin_ns < earliest.begin_ns) earliest = {stages[next].begin_ns, now, stages[next].stage};
    }
    if (earliest.stage == kDriver) earliest.begin_ns = next < stages.size() ? stages[next].end_ns : 0;
    path.push_back(earliest);
    now = earliest.begin_ns;
  }
  return path;
}

WallPart PartOf(const Application& application, const WorkNames& names, const WallSpan& span, int64_t duration_ns) {
  WallPart part;
  part.begin_ns = span.begin_ns;
  part.duration_ns = span.Duration();
  if (span.stage == kDriver) {
    const bool is_first = span.begin_ns == 0;
    const bool is_last = span.end_ns == duration_ns;
    part.name = is_first  ? "Driver before the first stage"
                : is_last ? "Driver after the last stage"
                          : "Driver between stages";
    part.selection.executor = "driver";
    part.selection.from_ns = span.begin_ns;
    part.selection.to_ns = span.end_ns;
  } else {
    const Stage& stage = application.stages[span.stage];
    part.name =
        stage.attempt == 0 ? fmt::format("Stage {}", stage.id) : fmt::format("Stage {}.{}", stage.id, stage.attempt);
    part.name += " " + names.stages[span.stage].Text();
    part.selection.stage = stage.id;
    part.selection.stage_attempt = stage.attempt;
  }
  return part;
}

// One part per stage name and one for the driver, of all spans with that name; longest first.
std::vector<WallPart> SumsByName(const Application& application, const WorkNames& names,
                                 const std::vector<WallSpan>& path, int64_t duration_ns) {
  std::map<std::string, std::vector<WallSpan>> groups;
  for (const WallSpan& span : path)
    groups[span.stage == kDriver ? std::string() : names.stages[span.stage].Text()].push_back(span);
  std::vector<WallPart> parts;
  for (const auto& [name, spans] : groups) {
    WallPart part = PartOf(application, names, spans.front(), duration_ns);
    if (spans.size() > 1) {
      part.name = name.empty() ? fmt::format("Driver outside stages, {} times", spans.size())
                               : fmt::format("{} stages: {}", spans.size(), name);
      part.begin_ns = -1;
      part.duration_ns = SumOfSpans(spans.begin(), spans.end());
      part.selection = {};
    }
    parts.push_back(std::move(part));
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const WallPart& a, const WallPart& b) { return a.duration_ns > b.duration_ns; });
  return parts;
}

}  // namespace

std::vector<WallPart> SplitWallTime(const Application& application, size_t most) {
  const TimeRange range = RangeOf(application);
  std::vector<WallSpan> stages = SpansOfStages(application, range);
  if (stages.empty()) return {};
  std::vector<WallSpan> path = WalkBack(std::move(stages), range.Duration());
  std::sort(path.begin(), path.end(), [](const WallSpan& a, const WallSpan& b) { return a.Duration() > b.Duration(); });
  const WorkNames names = NamesOfWork(application);
  const auto end_of_longest = path.begin() + static_cast<ptrdiff_t>(std::min(most, path.size()));
  std::vector<WallPart> parts;
  if (SumOfSpans(path.begin(), end_of_longest) >= range.Duration() / 2) {
    std::sort(path.begin(), end_of_longest,
              [](const WallSpan& a, const WallSpan& b) { return a.begin_ns < b.begin_ns; });
    for (auto span = path.begin(); span != end_of_longest; ++span)
      parts.push_back(PartOf(application, names, *span, range.Duration()));
    AddRest(path.size() - parts.size(), SumOfSpans(end_of_longest, path.end()), &parts);
  } else {
    parts = SumsByName(application, names, path, range.Duration());
    const size_t kept = std::min(most, parts.size());
    const size_t left_out = parts.size() - kept;
    const int64_t rest = std::accumulate(parts.begin() + static_cast<ptrdiff_t>(kept), parts.end(), int64_t{0},
                                         [](int64_t sum, const WallPart& part) { return sum + part.duration_ns; });
    parts.resize(kept);
    AddRest(left_out, rest, &parts);
  }
  return parts;
}

}  // namespace sparkprof
