// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/plans/operator_costs.h"
#include "engines/engines.h"
#include "model/application.h"

namespace sparkprof {

struct EngineMetric {
  std::string_view name;
  int64_t ns = 0;
};

// Elapsed time of an operator, by the names of operators and metrics in the tables of engines/. It is not CPU time: a
// GPU's threads wait for the device, native scans for storage.
struct EngineTime {
  const Engine* engine = nullptr;         // null = one of Spark's own operators
  std::vector<EngineMetric> metrics;      // metrics that make up own_ns
  std::optional<int64_t> own_ns;          // without the operators below; nullopt if not measured
  std::optional<EngineMetric> inclusive;  // including the operators below
};

// Excludes times of Spark's own operators that operator_frames.h compares with samples. `node` must outlive the result.
EngineTime EngineTimeOf(const PlanNode& node);

// Total of a metric over the tasks of a stage in ns or as a number; for kMemory, the maximum in bytes. nullopt if no
// engine reports it, as opposed to 0.
std::optional<int64_t> EngineMetricOf(const Stage& stage, EngineTaskMetric metric);

// Why an engine does not run nodes of a plan, from the extended information in the plan's text:
//
//     == Extended Information (Comet) ==
//     CometColumnarToRow
//     +-  Sort [COMET: the collation is not supported]
//
// The n-th node of a name is the n-th one of the plan. Where the text has another number of them, each has all reasons
// for nodes of its name. Views `sql`.
class EngineReasons {
 public:
  explicit EngineReasons(const SqlExecution& sql);

  bool IsEmpty() const { return reasons_.empty(); }

  // Empty if the engine gave none.
  std::string Of(const PlanNode& node) const;

 private:
  std::unordered_map<const PlanNode*, std::string> reasons_;
};

// An operator that Spark itself runs although a native engine runs others in the plan, or explains why it does not.
struct EngineFallback {
  std::string reason;              // as in the plan's text; empty = the engine gave none
  std::optional<int64_t> cost_ns;  // own time of the operator and of the adjacent row conversions
};

// One entry per operator; nullopt for operators of engines, conversions, and plans without an engine. Uses CPU time if
// there are samples, else the times measured by Spark and the engine.
std::vector<std::optional<EngineFallback>> FallbacksOf(const Application& application, const OperatorCosts& costs);

}  // namespace sparkprof
