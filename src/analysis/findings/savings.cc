// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/savings.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/findings/rules.h"

namespace sparkprof {
namespace {

constexpr double kHighShare = 0.1;
constexpr double kMediumShare = 0.02;
constexpr double kWorthReading = 0.01;
// Runs of tasks in replays of claims that cannot be the largest: they take less than a second.
constexpr int64_t kMostReplayedTasks = 1'000'000;
// Time that belongs to no stage known: the driver's, or that of tasks in text logs.
constexpr int64_t kDriver = -1;
constexpr int64_t kAnyStage = -2;

// How narrow the range of a saving is. What was measured and saves no known time is half certain.
double ConfidenceOf(const Finding& finding) {
  constexpr double kOfMeasured = 0.5;
  if (finding.is_failure) return 1;
  if (!finding.saving.IsKnown()) return kOfMeasured;
  constexpr double kPercent = 100;
  return std::round(Share(finding.saving.Expected(), finding.saving.high_ns) * kPercent) / kPercent;
}

std::vector<int64_t> TimesOf(const Finding& finding) {
  if (!finding.stages.empty()) return finding.stages;
  return {finding.selection.executor == "driver" ? kDriver : kAnyStage};
}

// The failure that explains most comes first.
size_t RankOfFailure(std::string_view rule) {
  constexpr std::string_view kOrder[] = {"lost-executors", "failed-work", "lost-driver", "oom"};
  return static_cast<size_t>(std::find(std::begin(kOrder), std::end(kOrder), rule) - std::begin(kOrder));
}

}  // namespace

Severity SeverityOf(double share) {
  if (share >= kHighShare) return Severity::kHigh;
  return share >= kMediumShare ? Severity::kMedium : Severity::kLow;
}

void SetSavings(const FindingInput& input, ClaimReplay* replay, std::vector<Finding>* findings) {
  std::vector<std::pair<int64_t, Finding*>> by_most;
  for (Finding& finding : *findings) by_most.emplace_back(replay->MostOf(finding.claim), &finding);
  std::stable_sort(by_most.begin(), by_most.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  constexpr int64_t kEnds = 3;  // of a range
  int64_t replayed = 0, largest_ns = 0;
  for (const auto& [most_ns, finding] : by_most) {
    const int64_t tasks = kEnds * static_cast<int64_t>(input.application.tasks.Size());
    const bool is_small = Share(most_ns, input.duration_ns) < kWorthReading;
    const bool is_replayed = most_ns > largest_ns || replayed + tasks <= kMostReplayedTasks;
    finding->saving = is_small || !is_replayed ? replay->EstimateOf(finding->claim) : replay->SavingOf(finding->claim);
    if (!is_small && is_replayed) replayed += tasks;
    if (!finding->is_context) largest_ns = std::max(largest_ns, finding->saving.Expected());
    finding->expected_share = Share(finding->saving.Expected(), input.duration_ns);
    finding->confidence = ConfidenceOf(*finding);
    if (!finding->is_failure) finding->severity = SeverityOf(finding->expected_share);
  }
}

bool IsFolded(const Finding& finding) { return !finding.is_failure && finding.expected_share < kWorthReading; }

bool IsMoreImportant(const Finding& a, const Finding& b) {
  const auto rank = [](const Finding& finding) {
    const int tier = IsFolded(finding) ? 0 : finding.is_of_machine ? 1 : 2;
    return std::tuple(finding.is_failure, finding.is_failure ? RankOfFailure(finding.rule) : 0, tier,
                      finding.expected_share, finding.saving.high_ns);
  };
  return rank(a) > rank(b);
}

void MarkOverlaps(std::vector<Finding>* findings) {
  std::map<int64_t, std::string> owners;  // by stage
  for (Finding& finding : *findings) {
    if (!finding.saving.IsKnown()) continue;
    const std::vector<int64_t> times = TimesOf(finding);
    // The tasks of logs without stages are any stage's.
    const bool is_any = times.front() == kAnyStage;
    for (const auto& [time, owner] : owners) {
      const bool is_same = std::find(times.begin(), times.end(), time) != times.end();
      const bool may_be_same = time != kDriver && times.front() != kDriver && (is_any || time == kAnyStage);
      if (!is_same && !may_be_same) continue;
      finding.overlaps = owner;
      break;
    }
    if (!finding.overlaps.empty()) continue;
    for (const int64_t time : times) owners.emplace(time, finding.id);
  }
}

}  // namespace sparkprof
