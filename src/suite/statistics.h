// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "suite/suite_results.h"

namespace sparkprof {

// The value below which `share` of the values lie, between two of them if needed: 0.5 is the median, and of two values
// their mean. `values` must not be empty.
double Quantile(std::vector<double> values, double share);

// Mann-Whitney rank test: the probability that `later` ranks at least this high against `earlier` if both have the same
// distribution. Exact, including ties, for up to 200,000 arrangements (ten values each); otherwise the normal
// approximation. 1 if one of them is empty.
double ProbabilityOfHigher(const std::vector<double>& earlier, const std::vector<double>& later);

// The smallest probability possible for these counts: complete separation.
double SmallestProbability(size_t earlier, size_t later);

// Minimum number of values on each side for which complete separation is significant. `significance` must be positive.
size_t LeastValues(double significance);

// A measure grows as size^exponent: 1 = linear.
struct Growth {
  std::string job, measure;
  double exponent = 0;
  double error = 0;  // standard error of the exponent
};

// Fits a line to log(measure) over log(size) of all successful repeats by least squares. Jobs need two sizes and three
// repeats in total. Skips measures with a value of 0.
std::vector<Growth> FitGrowth(const SuiteResults& results);

}  // namespace sparkprof
