// SPDX-License-Identifier: Apache-2.0
#include "prove/student_t.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sparkprof {

// The finite series for whole degrees of freedom, Abramowitz and Stegun 26.7.3 and 26.7.4.
double ProbabilityOfT(double t, size_t degrees) {
  const double angle = std::atan(std::abs(t) / std::sqrt(static_cast<double>(degrees)));
  const double sine = std::sin(angle), cosine = std::cos(angle);
  const bool is_odd = degrees % 2 == 1;
  double term = is_odd ? cosine : 1, sum = degrees == 1 ? 0 : term;
  for (size_t power = is_odd ? 3 : 2; power + 2 <= degrees; power += 2) {
    const auto divisor = static_cast<double>(power);
    term *= cosine * cosine * (divisor - 1) / divisor;
    sum += term;
  }
  const double inside = is_odd ? 2 / std::numbers::pi * (angle + sine * sum) : sine * sum;
  return std::clamp(1 - inside, 0.0, 1.0);
}

double QuantileOfT(double probability, size_t degrees) {
  double low = 0, high = 1;
  while (ProbabilityOfT(high, degrees) > probability) high *= 2;
  constexpr int kSteps = 60;  // halve the range to the precision of a double
  for (int step = 0; step < kSteps; ++step) {
    const double middle = (low + high) / 2;
    (ProbabilityOfT(middle, degrees) > probability ? low : high) = middle;
  }
  return high;
}

}  // namespace sparkprof
