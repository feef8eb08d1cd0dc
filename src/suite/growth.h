// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "suite/suite_results.h"

namespace sparkprof {

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
