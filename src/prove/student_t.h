// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace sparkprof {

// Probability that Student's t with these degrees of freedom (at least 1) is as far from 0 as `t`, on either side.
double ProbabilityOfT(double t, size_t degrees);

// The t of that probability, which must be above 0.
double QuantileOfT(double probability, size_t degrees);

}  // namespace sparkprof
