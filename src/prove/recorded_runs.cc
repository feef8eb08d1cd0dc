// SPDX-License-Identifier: Apache-2.0
#include "prove/recorded_runs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "analysis/selection/time_range.h"
#include "base/time.h"
#include "suite/statistics.h"

namespace sparkprof {
namespace {

double SumOf(const Application& application, TaskMetric metric) {
  double sum = 0;
  for (const int64_t value : application.tasks.Column(metric)) sum += static_cast<double>(value);
  return sum;
}

double MeanOfLogs(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Logarithms of a measure; empty if any run lacks it.
std::vector<double> Logarithms(const std::vector<RecordedRun>& runs, ProofMeasure measure) {
  std::vector<double> values;
  for (const RecordedRun& run : runs) {
    const double value = run.measures.Get(measure);
    if (!(value > 0)) return {};
    values.push_back(std::log(value));
  }
  return values;
}

MeasureEffect EffectOf(ProofMeasure measure, const std::vector<double>& before, const std::vector<double>& after) {
  MeasureEffect effect{.measure = measure, .before = std::exp(Quantile(before, 0.5))};
  const double difference = MeanOfLogs(after) - MeanOfLogs(before);
  const auto count = static_cast<double>(before.size());
  double squares = 0;
  for (const double value : before) squares += (value - MeanOfLogs(before)) * (value - MeanOfLogs(before));
  effect.effect = {std::expm1(difference), -1, std::numeric_limits<double>::infinity()};
  if (before.size() < 2) return effect;
  const size_t degrees = before.size() - 1;
  const double error = std::sqrt(squares / static_cast<double>(degrees) * (1 + 1 / count));
  const double width = QuantileOfT(1 - PairedRuns::kLevel, degrees) * error;
  effect.effect.low = std::expm1(difference - width);
  effect.effect.high = std::expm1(difference + width);
  effect.probability = error > 0 ? ProbabilityOfT(difference / error, degrees) : difference != 0 ? 0 : 1;
  if (before.size() < RecordedRuns::kLeastRecorded) return effect;
  if (effect.probability <= RecordedRuns::kSignificance && std::abs(effect.effect.median) >= PairedRuns::kLeastEffect) {
    effect.decision = difference < 0 ? RunsDecision::kFaster : RunsDecision::kSlower;
  } else if (effect.effect.low >= -PairedRuns::kLeastEffect && effect.effect.high <= PairedRuns::kLeastEffect) {
    effect.decision = RunsDecision::kNoDifference;
  }
  return effect;
}

}  // namespace

// Finite series for integer degrees of freedom: Abramowitz and Stegun 26.7.3 and 26.7.4.
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
  constexpr int kSteps = 60;  // bisects to the precision of a double
  for (int step = 0; step < kSteps; ++step) {
    const double middle = (low + high) / 2;
    (ProbabilityOfT(middle, degrees) > probability ? low : high) = middle;
  }
  return high;
}

RecordedRun RecordedRunOf(const Application& application, const std::optional<PriceList>& prices) {
  RecordedRun run;
  if (const int64_t duration_ns = RangeOf(application).Duration(); duration_ns > 0) {
    run.measures.Set(ProofMeasure::kTime, static_cast<double>(duration_ns) / kNanosPerSecond);
  }
  if (const double cpu_ns = SumOf(application, TaskMetric::kExecutorCpuTime); cpu_ns > 0)
    run.measures.Set(ProofMeasure::kCpu, cpu_ns / kNanosPerSecond);
  SetHeld(application, prices, &run.measures);
  run.input_bytes = static_cast<int64_t>(SumOf(application, TaskMetric::kInputBytes));
  return run;
}

std::vector<RecordedRun> RecordedRuns::Comparable() const {
  if (after_.empty()) return recorded_;
  std::vector<double> inputs;
  for (const RecordedRun& run : after_) inputs.push_back(static_cast<double>(run.input_bytes));
  const double input = Quantile(inputs, 0.5);
  std::vector<RecordedRun> comparable = recorded_;
  std::erase_if(comparable, [&](const RecordedRun& run) {
    return std::abs(static_cast<double>(run.input_bytes) - input) > kMostOtherInput * input;
  });
  return comparable;
}

std::vector<MeasureEffect> RecordedRuns::Effects() const {
  const std::vector<RecordedRun> comparable = Comparable();
  std::vector<MeasureEffect> effects;
  for (size_t i = 0; i < kProofMeasureCount; ++i) {
    const auto measure = static_cast<ProofMeasure>(i);
    const std::vector<double> before = Logarithms(comparable, measure), after = Logarithms(after_, measure);
    if (!before.empty() && !after.empty()) effects.push_back(EffectOf(measure, before, after));
  }
  return effects;
}

}  // namespace sparkprof
