// SPDX-License-Identifier: Apache-2.0
#include "analysis/wall_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/time_range.h"
#include "analysis/work_names.h"

namespace sparkprof {
namespace {

constexpr uint32_t kDriver = UINT32_MAX;

// The part of the wall time between two times, since the start.
struct WallSpan {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  uint32_t stage = kDriver;  // row

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
    part.name = fmt::format("Stage {}.{} {}", stage.id, stage.attempt, names.stages[span.stage].Text());
    part.selection.stage = stage.id;
    part.selection.stage_attempt = stage.attempt;
  }
  return part;
}

}  // namespace

std::vector<WallPart> SplitWallTime(const Application& application, size_t most) {
  const TimeRange range = RangeOf(application);
  std::vector<WallSpan> stages = SpansOfStages(application, range);
  if (stages.empty()) return {};
  std::vector<WallSpan> path = WalkBack(std::move(stages), range.Duration());
  std::sort(path.begin(), path.end(), [](const WallSpan& a, const WallSpan& b) { return a.Duration() > b.Duration(); });
  const size_t kept = std::min(most, path.size());
  std::sort(path.begin(), path.begin() + static_cast<ptrdiff_t>(kept),
            [](const WallSpan& a, const WallSpan& b) { return a.begin_ns < b.begin_ns; });
  const WorkNames names = NamesOfWork(application);
  std::vector<WallPart> parts;
  for (size_t i = 0; i < kept; ++i) parts.push_back(PartOf(application, names, path[i], range.Duration()));
  if (kept < path.size()) {
    const int64_t rest = std::accumulate(path.begin() + static_cast<ptrdiff_t>(kept), path.end(), int64_t{0},
                                         [](int64_t sum, const WallSpan& span) { return sum + span.Duration(); });
    parts.push_back({fmt::format("{} shorter parts", path.size() - kept), -1, rest, {}});
  }
  return parts;
}

}  // namespace sparkprof
