// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/costs/price_list.h"
#include "model/application.h"
#include "prove/measures.h"

namespace sparkprof {

// A run as its recording or event log shows it: the time of the application, not of its command.
struct RecordedRun {
  RunMeasures measures;
  int64_t input_bytes = 0;  // read by tasks
};

RecordedRun RecordedRunOf(const Application& application, const std::optional<PriceList>& prices);

// Compares new runs with recorded ones of the program before a change. The new runs follow one another, so they share
// the state of their machine, and any number of them is one sample of it. Therefore their mean counts as one run, and
// its distance from the mean of the recorded runs is tested by Student's t (a prediction interval), once, after a
// number of runs that is fixed beforehand. So neither autocorrelation nor looking favors a verdict. Weaker than
// PairedRuns: it assumes that the recorded runs are independent of each other, and that nothing but the change is
// different since then; and it sees large effects only.
class RecordedRuns {
 public:
  static constexpr size_t kLeastRecorded = 5;     // of a decision
  static constexpr double kSignificance = 0.01;   // of a decision
  static constexpr double kMostOtherInput = 0.1;  // largest relative difference of the input of comparable runs
  static constexpr int64_t kDefaultRuns = 5;      // new runs

  explicit RecordedRuns(std::vector<RecordedRun> recorded) : recorded_(std::move(recorded)) {}

  void Add(const RecordedRun& after) { after_.push_back(after); }
  // Recorded runs that read about as much as the new ones.
  std::vector<RecordedRun> Comparable() const;
  size_t Recorded() const { return recorded_.size(); }
  // Effects on the measures that all comparable and all new runs have. Open with fewer than kLeastRecorded comparable
  // runs. Requires a new run.
  std::vector<MeasureEffect> Effects() const;

 private:
  std::vector<RecordedRun> recorded_, after_;
};

}  // namespace sparkprof
