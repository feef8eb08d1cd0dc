// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace sparkprof {

// Mann-Whitney's rank test: the probability that `later` would rank at least as high against `earlier` as it does if
// both had the same distribution. Exact, ties included, for up to 200,000 arrangements (ten values each); beyond, the
// normal approximation. 1 if one of them is empty.
double ProbabilityOfHigher(const std::vector<double>& earlier, const std::vector<double>& later);

// The smallest probability that so many values can give: that of complete separation.
double SmallestProbability(size_t earlier, size_t later);

// Values that each of the two needs at least so that complete separation is significant. `significance` is above 0.
size_t LeastValues(double significance);

}  // namespace sparkprof
