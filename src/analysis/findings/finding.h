// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/function_weights.h"
#include "analysis/selection.h"
#include "analysis/stack_kinds.h"
#include "analysis/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

enum class Severity : uint8_t { kLow, kMedium, kHigh };
std::string_view SeverityName(Severity severity);  // "low", "medium", "high"

// A performance problem of the job, with advice.
struct Finding {
  std::string id;  // of the rule, and the stage: "straggler-3.0"
  std::string title;
  Severity severity = Severity::kLow;
  double confidence = 0;  // 0 … 1
  std::string what;       // what happens, with figures
  std::string evidence;   // what was measured
  std::string rule;       // the condition, as a sentence
  Selection selection;    // what shows it
  std::string change;     // what to change
  int64_t gain_ns = 0;    // estimated saving; 0 = unknown
};

// Input of the rules, computed once.
struct FindingInput {
  const Application& application;
  const std::vector<StackKind>& kinds;
  const std::vector<StageSummary>& stages;
  const Functions& functions;
  int64_t duration_ns = 0;  // of the application
};

// What rules find in one stage, and in the application as a whole.
using StageRule = std::optional<Finding>(const FindingInput& input, const Stage& stage, const StageSummary& summary);
using ApplicationRule = void(const FindingInput& input, std::vector<Finding>* findings);

// All rules applied; the most severe first, then the largest gain.
std::vector<Finding> FindAll(const FindingInput& input);

// "stage 3.0 (count at Job.scala:12)"
std::string StageText(const Stage& stage);

// A selection of `stage` and `event`.
Selection SelectStage(const Stage& stage, Event event);

// A gain of ten percent of the application's duration is high, of two percent medium.
Severity SeverityOf(int64_t gain_ns, int64_t duration_ns);

}  // namespace sparkprof
