// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/savings.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "analysis/findings/rules.h"

namespace sparkprof {
namespace {

constexpr double kHighShare = 0.1;
constexpr double kMediumShare = 0.02;
constexpr double kWorthReading = 0.01;
// Time that belongs to no stage known: the driver's, or that of tasks in text logs.
constexpr int64_t kDriver = -1;
constexpr int64_t kAnyStage = -2;

std::vector<int64_t> TimesOf(const Finding& finding) {
  if (!finding.stages.empty()) return finding.stages;
  return {finding.selection.executor == "driver" ? kDriver : kAnyStage};
}

}  // namespace

void BoundSaving(Finding* finding) {
  finding->gain_ns = std::clamp<int64_t>(finding->gain_ns, 0, finding->most_ns);
  if (finding->gain_ns == 0) return;
  finding->gain_high = std::min(finding->gain_high, Share(finding->most_ns, finding->gain_ns));
  finding->gain_low = std::min(finding->gain_low, finding->gain_high);
}

Severity SeverityOf(double share) {
  if (share >= kHighShare) return Severity::kHigh;
  return share >= kMediumShare ? Severity::kMedium : Severity::kLow;
}

void SetExpectedSaving(int64_t duration_ns, Finding* finding) {
  // gain_ns is likely; where the range is below it, it is too high.
  const double middle = std::min(1.0, (finding->gain_low + finding->gain_high) / 2);
  finding->expected_share = Share(finding->gain_ns, duration_ns) * middle * finding->confidence;
  if (!finding->is_failure) finding->severity = SeverityOf(finding->expected_share);
}

bool IsFolded(const Finding& finding) { return !finding.is_failure && finding.expected_share < kWorthReading; }

bool IsMoreImportant(const Finding& a, const Finding& b) {
  const auto rank = [](const Finding& finding) {
    const int tier = IsFolded(finding) ? 0 : finding.is_of_machine ? 1 : 2;
    return std::tuple(finding.is_failure, finding.is_failure ? finding.confidence : 0, tier, finding.expected_share,
                      finding.gain_ns, finding.confidence);
  };
  return rank(a) > rank(b);
}

void MarkOverlaps(std::vector<Finding>* findings) {
  std::map<int64_t, std::string> owners;  // by stage
  for (Finding& finding : *findings) {
    if (finding.gain_ns == 0) continue;
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
