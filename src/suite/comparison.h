// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "suite/suite_results.h"

namespace sparkprof {

enum class Verdict { kSame, kWorse, kBetter, kTooFewRepeats };
const char* VerdictName(Verdict verdict);  // "same", "worse", "better", "too_few_repeats"

// One measure of one job in two runs. Less is better.
struct MeasureComparison {
  std::string job;  // JobLabel
  std::string measure;
  size_t earlier_repeats = 0, later_repeats = 0;
  size_t least_repeats = 0;  // minimum repeats per run to reach the significance
  double earlier_median = 0, later_median = 0;
  double probability = 1;  // p-value of the rank test in the direction of the change
  Verdict verdict = Verdict::kSame;
};

struct SuiteComparison {
  std::vector<MeasureComparison> measures;
  std::vector<std::string> failures;  // jobs of the later run that failed or are missing
};

struct ComparisonOptions {
  double significance = 0.05;
  std::vector<std::string> measures = {"seconds", "cpuSeconds", "maxRssBytes"};  // empty = all
};

// A measure has changed if the rank test is significant and the medians differ by more than the larger interquartile
// range, and by more than 50 ms or 256 KiB.
SuiteComparison CompareSuites(const SuiteResults& earlier, const SuiteResults& later, const ComparisonOptions& options);

// Formats "too few repeats to decide: 1 and 2, at least 3 each are needed".
std::string TooFewRepeats(const MeasureComparison& measure);

// Formats "12.3 s", "340 MiB" or "85.0%" depending on the measure.
std::string MeasureText(const std::string& measure, double value);

}  // namespace sparkprof
