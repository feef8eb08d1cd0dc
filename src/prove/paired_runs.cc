// SPDX-License-Identifier: Apache-2.0
#include "prove/paired_runs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sparkprof {
namespace {

constexpr double kPriorVariance = 1;
constexpr size_t kLeastPairs = 4;  // fewer pairs give no usable standard deviation

double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double MeanOf(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double ErrorOf(const std::vector<double>& values) {
  const double mean = MeanOf(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const auto count = static_cast<double>(values.size());
  return std::sqrt(squares / (count - 1) / count);
}

// The mean of each pair of values and of each value itself.
std::vector<double> WalshAverages(const std::vector<double>& values) {
  std::vector<double> averages;
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = i; j < values.size(); ++j) averages.push_back((values[i] + values[j]) / 2);
  }
  return averages;
}

}  // namespace

void PairedRuns::Add(double before, double after) {
  before_.push_back(std::log(std::max(before, least_)));
  differences_.push_back(std::log(std::max(after, least_)) - before_.back());
  if (Pairs() < kLeastPairs) return;
  const double error = ErrorOf(differences_), mean = MeanOf(differences_);
  if (error == 0) {
    if (mean != 0) probability_ = 0;
    return;
  }
  const auto count = static_cast<double>(Pairs());
  const double squared = mean / error * (mean / error) / (count - 1), spread = 1 + count * kPriorVariance;
  const double evidence = std::exp(count / 2 * std::log((1 + squared) / (1 + squared / spread))) / std::sqrt(spread);
  probability_ = std::min(probability_, 1 / evidence);
}

double PairedRuns::Width(double evidence) const {
  if (Pairs() < kLeastPairs) return std::numeric_limits<double>::infinity();
  const auto count = static_cast<double>(Pairs());
  const double spread = 1 + count * kPriorVariance;
  const double bound = std::pow(evidence * std::sqrt(spread), 2 / count);
  if (bound >= spread) return std::numeric_limits<double>::infinity();
  return ErrorOf(differences_) * std::sqrt((bound - 1) / (1 - bound / spread) * (count - 1));
}

PairedRuns::Effect PairedRuns::Estimate() const {
  const double median = MedianOf(WalshAverages(differences_)), mean = MeanOf(differences_);
  const double width = Width(1 / (1 - kLevel));
  return {std::expm1(median), std::expm1(std::min(median, mean - width)), std::expm1(std::max(median, mean + width))};
}

double PairedRuns::Noise() const {
  if (Pairs() < 2) return 0;
  double squares = 0;
  for (size_t i = 1; i < before_.size(); ++i) squares += (before_[i] - before_[i - 1]) * (before_[i] - before_[i - 1]);
  // A run has half the variance of a difference of neighbors; the difference within a pair has twice that of a run.
  return std::sqrt(squares / static_cast<double>(before_.size() - 1) / static_cast<double>(Pairs()));
}

double PairedRuns::LeastEffect() const { return std::max(kLeastEffect, 2 * Noise()); }

PairedRuns::Decision PairedRuns::Decided() const {
  if (Pairs() < kLeastPairs) return Decision::kOpen;
  const Effect effect = Estimate();
  const double least = LeastEffect();
  if (Probability() <= kSignificance && std::abs(effect.median) >= least)
    return effect.median < 0 ? Decision::kFaster : Decision::kSlower;
  return effect.low >= -least && effect.high <= least ? Decision::kNoDifference : Decision::kOpen;
}

double PairedRuns::MedianBefore() const { return std::exp(MedianOf(before_)); }

}  // namespace sparkprof
