// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/costs/price_list.h"
#include "base/text/json_writer.h"
#include "model/application.h"
#include "prove/paired_runs.h"
#include "suite/suite_results.h"

namespace sparkprof {

// Measures of each run; less is better.
enum class ProofMeasure : uint8_t { kTime, kCpu, kPeakMemory, kCoreHours, kGbHours, kCost };
inline constexpr size_t kProofMeasureCount = static_cast<size_t>(ProofMeasure::kCost) + 1;

inline constexpr double kUnknownMeasure = std::numeric_limits<double>::quiet_NaN();

// The measures of one run, by ProofMeasure: seconds, seconds, bytes, hours, hours, money.
class RunMeasures {
 public:
  RunMeasures() { values_.fill(kUnknownMeasure); }

  double Get(ProofMeasure measure) const { return values_[static_cast<size_t>(measure)]; }
  void Set(ProofMeasure measure, double value) { values_[static_cast<size_t>(measure)] = value; }

 private:
  std::array<double, kProofMeasureCount> values_;
};

// Adds the core-hours, GB-hours and their cost of what the application held, where they are known.
void SetHeld(const Application& application, const std::optional<PriceList>& prices, RunMeasures* measures);

// `application` is null if the run left no recording.
RunMeasures MeasuresOfRun(const RepeatResult& run, const Application* application,
                          const std::optional<PriceList>& prices);

// One measure of the runs before and after a change.
struct MeasureEffect {
  ProofMeasure measure = ProofMeasure::kTime;
  double before = 0;  // median
  RunsEffect effect;
  double probability = 1;
  RunsDecision decision = RunsDecision::kOpen;
};

// Returns null if the effect is unknown.
const MeasureEffect* FindEffect(ProofMeasure measure, const std::vector<MeasureEffect>& effects);

// The measures of pairs of runs. A measure that is unknown in any run has no effect.
class PairedMeasures {
 public:
  PairedMeasures();

  void Add(const RunMeasures& before, const RunMeasures& after);
  const PairedRuns& Of(ProofMeasure measure) const { return tests_[static_cast<size_t>(measure)]; }
  std::vector<MeasureEffect> Effects() const;

 private:
  std::vector<PairedRuns> tests_;  // indexed by ProofMeasure
  size_t pairs_ = 0;
};

std::string_view TitleOf(ProofMeasure measure);  // "GB-hours"

// "18.2 s", "1.2 GiB", "0.012 GB-hours", "0.0123 USD"
std::string MeasureValueText(ProofMeasure measure, double value, std::string_view currency);

// "-31%"; two digits of a small change.
std::string PercentText(double change);

// One line per measure except `decisive`, such as "CPU time     -12% (95%: -15% to -9%) of 41 s", below a line that
// lists the measures that got worse.
std::string MeasureLines(const std::vector<MeasureEffect>& effects, ProofMeasure decisive, std::string_view currency);

// Writes {"median","low","high"} in the unit of the measure's member; null is unlimited.
void WriteChange(const MeasureEffect& effect, JsonWriter* json);

// Writes the members "measures" and "worse" into an open object.
void WriteMeasures(const std::vector<MeasureEffect>& effects, std::string_view currency, JsonWriter* json);

}  // namespace sparkprof
