// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>

#include "suite/statistics.h"

namespace sparkprof {
namespace {

constexpr double kMaxArrangements = 200'000;

// Doubled ranks from 1 in the order of `values`; doubling makes the ranks of ties integers.
std::vector<int64_t> DoubledRanks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<int64_t> ranks(values.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<int64_t>(begin + end + 1);
    begin = end;
  }
  return ranks;
}

// Number of ways to choose `chosen` of the ranks, by their sum.
std::map<int64_t, double> SumCounts(const std::vector<int64_t>& ranks, size_t chosen) {
  std::vector<std::map<int64_t, double>> counts(chosen + 1);
  counts[0][0] = 1;
  for (const int64_t rank : ranks) {
    for (size_t i = chosen; i > 0; --i) {
      for (const auto& [sum, count] : counts[i - 1]) counts[i][sum + rank] += count;
    }
  }
  return counts[chosen];
}

double Exact(const std::vector<int64_t>& ranks, size_t chosen, int64_t observed) {
  double all = 0, higher = 0;
  for (const auto& [sum, count] : SumCounts(ranks, chosen)) {
    all += count;
    if (sum >= observed) higher += count;
  }
  return higher / all;
}

// Normal approximation, corrected for ties and continuity.
double Approximate(const std::vector<int64_t>& ranks, size_t chosen, int64_t observed) {
  const double n = static_cast<double>(ranks.size()), m = static_cast<double>(chosen);
  double mean = 0, squares = 0;
  for (const int64_t rank : ranks) mean += static_cast<double>(rank) / 2 / n;
  for (const int64_t rank : ranks) squares += std::pow(static_cast<double>(rank) / 2 - mean, 2);
  const double variance = m * (n - m) / (n * (n - 1)) * squares;
  if (variance <= 0) return 1;
  const double distance = static_cast<double>(observed) / 2 - 0.5 - m * mean;
  return std::erfc(distance / std::sqrt(2 * variance)) / 2;
}

}  // namespace

double Quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const size_t below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

double SmallestProbability(size_t earlier, size_t later) {
  double arrangements = 1;
  for (size_t i = 1; i <= later; ++i) arrangements *= static_cast<double>(earlier + i) / static_cast<double>(i);
  return 1 / arrangements;
}

size_t LeastValues(double significance) {
  size_t values = 1;
  while (SmallestProbability(values, values) > significance) ++values;
  return values;
}

double ProbabilityOfHigher(const std::vector<double>& earlier, const std::vector<double>& later) {
  if (earlier.empty() || later.empty()) return 1;
  std::vector<double> values = later;
  values.insert(values.end(), earlier.begin(), earlier.end());
  const std::vector<int64_t> ranks = DoubledRanks(values);
  const int64_t observed =
      std::accumulate(ranks.begin(), ranks.begin() + static_cast<ptrdiff_t>(later.size()), int64_t{0});
  const bool is_small = SmallestProbability(earlier.size(), later.size()) >= 1 / kMaxArrangements;
  return is_small ? Exact(ranks, later.size(), observed) : Approximate(ranks, later.size(), observed);
}

}  // namespace sparkprof
