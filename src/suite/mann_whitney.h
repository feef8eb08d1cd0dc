// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace sparkprof {

// Mann-Whitney rank test: the probability that `later` ranks at least this high against `earlier` if both have the same
// distribution. Exact, including ties, for up to 200,000 arrangements (ten values each); otherwise the normal
// approximation. 1 if one of them is empty.
double ProbabilityOfHigher(const std::vector<double>& earlier, const std::vector<double>& later);

// The smallest probability possible for these counts: complete separation.
double SmallestProbability(size_t earlier, size_t later);

// Minimum number of values on each side for which complete separation is significant. `significance` must be positive.
size_t LeastValues(double significance);

}  // namespace sparkprof
