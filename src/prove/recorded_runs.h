// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/costs/price_list.h"
#include "model/application.h"
#include "prove/measures.h"

namespace sparkprof {

// A run as its recording or event log shows it. The time is that of the application, without its command.
struct RecordedRun {
  RunMeasures measures;
  int64_t input_bytes = 0;  // read by tasks
};

RecordedRun RecordedRunOf(const Application& application, const std::optional<PriceList>& prices);

// Compares new runs with recorded runs from before a change. The new runs follow one another on one machine in one
// state, so they are a single sample of it: their mean counts as one run. Student's t tests its distance from the mean
// of the recorded runs (a prediction interval), once, after a fixed number of runs. So neither autocorrelation nor
// repeated looks favor a verdict. Weaker than PairedRuns: detects only large effects, and assumes that the recorded
// runs are independent of each other and that nothing but the program has changed since.
class RecordedRuns {
 public:
  static constexpr size_t kLeastRecorded = 5;     // minimum for a decision
  static constexpr double kSignificance = 0.01;   // for a decision
  static constexpr double kMostOtherInput = 0.1;  // largest relative difference of input between comparable runs
  static constexpr int64_t kDefaultRuns = 5;      // new runs

  explicit RecordedRuns(std::vector<RecordedRun> recorded) : recorded_(std::move(recorded)) {}

  void Add(const RecordedRun& after) { after_.push_back(after); }
  // Recorded runs whose input is about as large as that of the new runs.
  std::vector<RecordedRun> Comparable() const;
  size_t Recorded() const { return recorded_.size(); }
  // Effects on the measures that all comparable and all new runs have; open with fewer than kLeastRecorded comparable
  // runs. Requires a new run.
  std::vector<MeasureEffect> Effects() const;

 private:
  std::vector<RecordedRun> recorded_, after_;
};

// Two-sided probability of Student's t, with at least 1 degree of freedom.
double ProbabilityOfT(double t, size_t degrees);

// The t with this two-sided probability, which must be above 0.
double QuantileOfT(double probability, size_t degrees);

}  // namespace sparkprof
