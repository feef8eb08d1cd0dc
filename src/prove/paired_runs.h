// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace sparkprof {

enum class RunsDecision { kOpen, kFaster, kSlower, kNoDifference };

// Relative changes of a measure: -0.31 is 31% less. Infinite ends of the interval are -1 and infinity.
struct RunsEffect {
  double median = 0, low = 0, high = 0;
};

// A sequential test on pairs of runs, one before and one after a change, in random order within each pair, so that
// neither drift nor autocorrelation of the machine favors a side. It works on differences of logarithms, as noise is
// multiplicative, and may be looked at after each pair: the probability that it ever sees an effect where none exists
// stays below its significance. The t mixture of Pérez-Ortiz et al. (2022), with a prior of variance 1 for the effect
// in standard deviations.
class PairedRuns {
 public:
  static constexpr double kSignificance = 0.01;  // for a decision
  static constexpr double kLevel = 0.95;         // confidence of the interval
  static constexpr double kLeastEffect = 0.02;   // smallest relative change worth a verdict
  static constexpr double kLeastSeconds = 0.001;

  using Decision = RunsDecision;
  using Effect = RunsEffect;

  // Values below `least` count as `least`.
  explicit PairedRuns(double least = kLeastSeconds) : least_(least) {}

  void Add(double before, double after);

  size_t Pairs() const { return differences_.size(); }
  // The smallest p-value at any look so far, two-sided.
  double Probability() const { return probability_; }
  // The median difference (Hodges-Lehmann) with an interval that holds at every look. Requires a pair.
  Effect Estimate() const;
  // The change that two equal series of this many pairs could show by chance: the standard error of the difference,
  // from differences between neighboring runs before the change. 0 before the second pair.
  double Noise() const;
  // The smallest change that counts: 2%, or twice the noise.
  double LeastEffect() const;
  // kOpen until the data decide; kNoDifference if the interval lies within the least effect.
  Decision Decided() const;
  // Median of the runs before the change. Requires a pair.
  double MedianBefore() const;

 private:
  double Width(double evidence) const;  // half the width of the interval with less evidence than this against an effect

  double least_;
  std::vector<double> before_;       // logarithms
  std::vector<double> differences_;  // log after - log before
  double probability_ = 1;
};

}  // namespace sparkprof
