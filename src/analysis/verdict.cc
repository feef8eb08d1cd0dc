// SPDX-License-Identifier: Apache-2.0
#include "analysis/verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/selection/time_range.h"
#include "base/duration_range.h"
#include "base/text.h"

namespace sparkprof {
namespace {

// A smaller share is not where the time is.
constexpr double kLeastShare = 0.05;

// ", 82.1% of it in stage 3"; empty where no part stands out.
std::string PlaceOfTime(const Application& application, const Answers& answers, int64_t duration_ns) {
  int64_t driver_ns = 0;
  for (const WallPart& part : answers.wall_time) {
    if (part.selection.executor == "driver") driver_ns += part.duration_ns;
  }
  const auto most = std::max_element(answers.stages.begin(), answers.stages.end(),
                                     [](const auto& a, const auto& b) { return a.wall_ns < b.wall_ns; });
  const int64_t stage_ns = most == answers.stages.end() ? 0 : most->wall_ns;
  const double share = static_cast<double>(std::max(driver_ns, stage_ns)) / static_cast<double>(duration_ns);
  if (share < kLeastShare) return {};
  if (driver_ns > stage_ns) return fmt::format(", {} of it in the driver without a stage", FormatShare(share));
  const Stage& stage = application.stages[static_cast<size_t>(most - answers.stages.begin())];
  return fmt::format(", {} of it in stage {}.{}", FormatShare(share), stage.id, stage.attempt);
}

}  // namespace

std::string SavedTime(const Finding& finding) {
  if (finding.gain_ns <= 0) return {};
  const auto times = [&](double factor) { return static_cast<int64_t>(static_cast<double>(finding.gain_ns) * factor); };
  return FormatDurationRange(times(finding.gain_low), times(finding.gain_high));
}

std::string SavingRange(const Finding& finding) {
  const std::string time = SavedTime(finding);
  return time.empty() ? time : "could save " + time;
}

std::string VerdictOf(const Application& application, const Answers& answers) {
  const int64_t duration_ns = RangeOf(application).Duration();
  std::string text;
  if (duration_ns > 0) {
    text = FormatDuration(duration_ns) + PlaceOfTime(application, answers, duration_ns) + ". ";
  }
  if (answers.findings.empty()) return text + NoFindingsText(answers.rules) + ".";
  const Finding& first = answers.findings.front();
  const std::string saving = SavingRange(first);
  return text + first.title + (saving.empty() ? "." : fmt::format("; {}.", saving));
}

}  // namespace sparkprof
