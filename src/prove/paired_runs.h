// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "prove/runs_effect.h"

namespace sparkprof {

// A sequential test on pairs of runs, one before and one after a change, in random order within each pair, so that
// neither drift nor autocorrelation of the machine favors a side. It works on differences of logarithms, as noise is
// multiplicative, and may be looked at after each pair: the probability that it ever sees an effect where none exists
// stays below its significance. The t mixture of Pérez-Ortiz et al. (2022), with a prior of variance 1 for the effect
// in standard deviations.
class PairedRuns {
 public:
  static constexpr double kSignificance = 0.01;  // of Decided
  static constexpr double kLevel = 0.95;         // of the interval
  static constexpr double kLeastEffect = 0.02;   // smallest change worth a verdict
  static constexpr double kLeastSeconds = 0.001;

  using Decision = RunsDecision;
  using Effect = RunsEffect;

  // Smaller values of runs count as `least`.
  explicit PairedRuns(double least = kLeastSeconds) : least_(least) {}

  // A measure of both runs, such as their seconds.
  void Add(double before, double after);

  size_t Pairs() const { return differences_.size(); }
  // The smallest p-value at any look so far, two-sided.
  double Probability() const { return probability_; }
  // The median difference (Hodges-Lehmann) with an interval that holds at every look. Requires a pair.
  Effect Estimate() const;
  // The change that two equal series of this many pairs could show by chance: the standard error of the difference,
  // from differences between neighboring runs before the change. 0 before the second pair.
  double Noise() const;
  // The smallest change that counts: two percent, or twice the noise.
  double LeastEffect() const;
  // kOpen until the data decide. No difference: the interval lies within the least effect.
  Decision Decided() const;
  // Median of the runs before the change. Requires a pair.
  double MedianBefore() const;

 private:
  double Width(double evidence) const;  // half the interval in which the evidence against an effect is lower

  double least_;
  std::vector<double> before_;       // logarithms
  std::vector<double> differences_;  // log after - log before
  double probability_ = 1;
};

}  // namespace sparkprof
