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
  size_t least_repeats = 0;  // of each run, with which the significance can be reached
  double earlier_median = 0, later_median = 0;
  double probability = 1;  // of the rank test in the direction of the change
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

// A measure changed if the rank test is significant and the medians differ by more than the larger of the two
// interquartile ranges, and by more than 50 ms or 256 KiB.
SuiteComparison CompareSuites(const SuiteResults& earlier, const SuiteResults& later, const ComparisonOptions& options);

// "too few repeats to decide: 1 and 2, at least 3 each are needed"
std::string TooFewRepeats(const MeasureComparison& measure);

// "12.3 s", "340 MiB", "85.0%" by the measure's name.
std::string MeasureText(const std::string& measure, double value);

}  // namespace sparkprof
