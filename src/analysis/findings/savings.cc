// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/finding_steps.h"
#include "analysis/findings/rules.h"

namespace sparkprof {
namespace {

constexpr double kHighShare = 0.1;
constexpr double kMediumShare = 0.02;
constexpr double kWorthReading = 0.01;
// Limits the tasks that are simulated in replays of claims that cannot be the largest, to less than a second.
constexpr int64_t kMaxReplayedTasks = 1'000'000;
// Relative to a claim's time: changes that share less save about as much together as separately.
constexpr double kSharedByAlternatives = 0.1;

// Measures how narrow the range of a saving is. A measured problem without a known saving gets one half.
double ConfidenceOf(const Finding& finding) {
  constexpr double kOfMeasured = 0.5;
  if (finding.is_failure) return 1;
  if (!finding.saving.IsKnown()) return kOfMeasured;
  constexpr double kPercent = 100;
  return std::round(Share(finding.saving.Expected(), finding.saving.high_ns) * kPercent) / kPercent;
}

// Failures that explain the most rank first.
size_t RankOfFailure(std::string_view rule) {
  constexpr std::string_view kOrder[] = {"lost-executors", "failed-work", "lost-driver", "oom"};
  return static_cast<size_t>(std::ranges::find(kOrder, rule) - std::begin(kOrder));
}

}  // namespace

Severity SeverityOf(double share) {
  if (share >= kHighShare) return Severity::kHigh;
  return share >= kMediumShare ? Severity::kMedium : Severity::kLow;
}

void SetSavings(const FindingInput& input, ClaimReplay* replay, std::vector<Finding>* findings) {
  const auto has_failed = [](const auto& one) { return one.status == RunStatus::kFailed; };
  const std::vector<Job>& jobs = input.application.jobs;
  const std::vector<SqlExecution>& queries = input.application.sql_executions;
  const bool failed = std::ranges::any_of(jobs, has_failed) || std::ranges::any_of(queries, has_failed);
  // A failed job or query would take longer without its failure.
  for (Finding& finding : *findings) {
    if (failed && finding.is_failure) finding.claim = {};
  }
  std::vector<std::pair<int64_t, Finding*>> by_most;
  for (Finding& finding : *findings) by_most.emplace_back(replay->MostOf(finding.claim), &finding);
  std::ranges::stable_sort(by_most, [](const auto& a, const auto& b) { return a.first > b.first; });
  constexpr int64_t kEnds = 3;  // estimates per range
  int64_t replayed = 0, largest_ns = 0;
  for (const auto& [most_ns, finding] : by_most) {
    const int64_t tasks = kEnds * static_cast<int64_t>(input.application.tasks.Size());
    const bool is_small = Share(most_ns, input.duration_ns) < kWorthReading;
    const bool is_replayed = most_ns > largest_ns || replayed + tasks <= kMaxReplayedTasks;
    finding->saving = is_small || !is_replayed ? replay->EstimateOf(finding->claim) : replay->SavingOf(finding->claim);
    if (!is_small && is_replayed) replayed += tasks;
    if (!finding->is_context) largest_ns = std::max(largest_ns, finding->saving.Expected());
    finding->expected_share = Share(finding->saving.Expected(), input.duration_ns);
    finding->confidence = ConfidenceOf(*finding);
    if (!finding->is_failure) finding->severity = SeverityOf(WeightOf(*finding));
  }
}

double WeightOf(const Finding& finding) { return std::max(finding.expected_share, finding.risk); }

bool IsFolded(const Finding& finding) {
  return !finding.is_failure && !finding.is_from_fragment && WeightOf(finding) < kWorthReading;
}

bool IsMoreImportant(const Finding& a, const Finding& b) {
  const auto rank = [](const Finding& finding) {
    const int tier = IsFolded(finding) ? 0 : finding.is_of_machine ? 1 : 2;
    return std::tuple(finding.is_failure, finding.is_failure ? RankOfFailure(finding.rule) : 0, tier, WeightOf(finding),
                      finding.saving.high_ns);
  };
  return rank(a) > rank(b);
}

void MarkOverlaps(const FindingInput& input, ClaimReplay* replay, std::vector<Finding>* findings) {
  std::vector<const Finding*> owners;
  std::vector<const Claim*> claims;  // claims of the owners
  const auto tasks = static_cast<int64_t>(input.application.tasks.Size());
  int64_t left_ns = input.duration_ns, least_ns = 0, replayed = 0;
  for (Finding& finding : *findings) {
    if (!finding.saving.IsKnown()) continue;
    auto owner = std::ranges::find_if(owners, [&](const Finding* other) {
      return replay->SharedPart(finding.claim, other->claim) >= kSharedByAlternatives;
    });
    // The savings cannot exceed the whole run.
    if (owner == owners.end() && finding.saving.likely_ns > left_ns) owner = owners.begin();
    if (owner != owners.end()) {
      finding.overlaps = (*owner)->id;
    } else {
      left_ns -= finding.saving.likely_ns;
      owners.push_back(&finding);
      if (finding.saving.low_ns == 0 || IsFolded(finding)) continue;
      claims.push_back(&finding.claim);
      // Claims on the same cores save less together than each of them alone.
      if (claims.size() == 1) {
        least_ns = finding.saving.low_ns;
      } else if (replayed += tasks; replayed <= kMaxReplayedTasks) {
        const int64_t all_ns = replay->LeastOf(claims);
        finding.saving.low_ns = std::clamp<int64_t>(all_ns - least_ns, 0, finding.saving.low_ns);
        least_ns = std::max(least_ns, all_ns);
      }
    }
  }
}

}  // namespace sparkprof
