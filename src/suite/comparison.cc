// SPDX-License-Identifier: Apache-2.0
#include "suite/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/text.h"
#include "base/time.h"
#include "suite/statistics.h"

namespace sparkprof {
namespace {

double Spread(const std::vector<double>& values) { return Quantile(values, 0.75) - Quantile(values, 0.25); }

// Smaller changes are noise of the machine and the scheduler: seconds, or bytes.
constexpr double kLeastSeconds = 0.05;
constexpr double kLeastBytes = 256 << 10;

double LeastChange(const std::string& measure) {
  if (measure.find("econds") != std::string::npos) return kLeastSeconds;
  return measure.find("Bytes") != std::string::npos ? kLeastBytes : 0;
}

Verdict Judge(const std::vector<double>& earlier, const std::vector<double>& later, double significance,
              MeasureComparison* comparison) {
  const bool is_higher = comparison->later_median > comparison->earlier_median;
  comparison->probability = is_higher ? ProbabilityOfHigher(earlier, later) : ProbabilityOfHigher(later, earlier);
  // Tolerance so that rounding does not break a significance of 1 in 20.
  const double limit = significance * (1 + 1e-9);
  comparison->least_repeats = LeastValues(limit);
  if (SmallestProbability(earlier.size(), later.size()) > limit) return Verdict::kTooFewRepeats;
  const double change = std::abs(comparison->later_median - comparison->earlier_median);
  if (comparison->probability > limit ||
      change <= std::max({Spread(earlier), Spread(later), LeastChange(comparison->measure)}))
    return Verdict::kSame;
  return is_higher ? Verdict::kWorse : Verdict::kBetter;
}

const JobResult* FindJob(const SuiteResults& results, const JobResult& wanted) {
  for (const JobResult& job : results.jobs) {
    if (job.name == wanted.name && job.size == wanted.size) return &job;
  }
  return nullptr;
}

void CompareJobs(const JobResult& earlier, const JobResult& later, const ComparisonOptions& options,
                 SuiteComparison* comparison) {
  const auto earlier_measures = MeasuresOf(earlier);
  for (const auto& [measure, values] : MeasuresOf(later)) {
    const auto before = earlier_measures.find(measure);
    const auto& wanted = options.measures;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), measure) == wanted.end()) continue;
    if (before == earlier_measures.end()) continue;
    MeasureComparison result{.job = JobLabel(later),
                             .measure = measure,
                             .earlier_repeats = before->second.size(),
                             .later_repeats = values.size(),
                             .earlier_median = Quantile(before->second, 0.5),
                             .later_median = Quantile(values, 0.5)};
    result.verdict = Judge(before->second, values, options.significance, &result);
    comparison->measures.push_back(std::move(result));
  }
}

}  // namespace

const char* VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kWorse:
      return "worse";
    case Verdict::kBetter:
      return "better";
    case Verdict::kTooFewRepeats:
      return "too_few_repeats";
    case Verdict::kSame:
      break;
  }
  return "same";
}

SuiteComparison CompareSuites(const SuiteResults& earlier, const SuiteResults& later,
                              const ComparisonOptions& options) {
  SuiteComparison comparison;
  for (const JobResult& before : earlier.jobs) {
    const JobResult* const job = FindJob(later, before);
    if (job == nullptr) {
      comparison.failures.push_back(fmt::format("{}: missing", JobLabel(before)));
    } else {
      CompareJobs(before, *job, options, &comparison);
    }
  }
  for (const JobResult& job : later.jobs) {
    const auto failed = std::count_if(job.repeats.begin(), job.repeats.end(),
                                      [](const RepeatResult& repeat) { return repeat.exit_code != 0; });
    if (failed > 0) {
      comparison.failures.push_back(
          fmt::format("{}: {} of {} repeats failed", JobLabel(job), failed, job.repeats.size()));
    }
  }
  return comparison;
}

std::string TooFewRepeats(const MeasureComparison& measure) {
  return fmt::format("too few repeats to decide: {} and {}, at least {} each are needed", measure.earlier_repeats,
                     measure.later_repeats, measure.least_repeats);
}

std::string MeasureText(const std::string& measure, double value) {
  if (measure.starts_with("maxCpuPercent")) return fmt::format("{:.1f}%", value);
  if (measure.find("Bytes") != std::string::npos) return FormatBytes(static_cast<int64_t>(value));
  return FormatDuration(static_cast<int64_t>(value * kNanosPerSecond));
}

}  // namespace sparkprof
