// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "model/plan_operators.h"
#include "model/samples/frame.h"

namespace sparkprof {

// The operators that a frame's code belongs to.
enum class OperatorWork : uint8_t {
  kNone,       // any: the operator of the frames above
  kGenerated,  // a method of generated code
  kNamed,      // the operator with this class
  kPythonFunction,
  kShuffleWrite,
  kShuffleRead,
  kScan,
  kCachedScan,
  kWrite,
  kSort,
  kAggregate,
  kHashJoin,
  kMergeJoin,
  kLoopJoin,
  kWindow,
  kPython,
};

// Parts of an operator's work that Spark also measures.
enum class TimedWork : uint8_t { kNone, kSort, kAggregate, kBuild, kScan };

struct OperatorFrame {
  OperatorWork work = OperatorWork::kNone;
  // kNamed: the operator's kind, or an engine's function; kGenerated: the prefix of its methods ("hashAgg"), may be
  // empty; kPythonFunction: the function without its class. Refers to the frame's name.
  std::string_view name;
  int32_t codegen = 0;    // for kGenerated: number of the code generation; 0 = unknown
  int32_t number = -1;    // for kGenerated: index among methods of the same name, in the order of generation
  bool consumes = false;  // for kGenerated: consumes rows of the operator below, so the lowest operator has number 0
  bool feeds_python = false;  // computes the input of Python workers: operators below run inside
  TimedWork timed = TimedWork::kNone;
};

OperatorFrame ReadOperatorFrame(std::string_view name, FrameKind kind);

// Whether the frame may belong to that operator. For kShuffleWrite and kShuffleRead, the caller checks the stage.
bool CanBe(const PlanOperator& one, const OperatorFrame& frame);

// The node's metric for that work; nullopt if it has none.
std::optional<int64_t> ValueOf(const PlanNode& node, TimedWork timed);
std::string_view MetricName(const PlanNode& node, TimedWork timed);  // empty if it has none

}  // namespace sparkprof
