// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "model/frame.h"
#include "model/plan_operators.h"

namespace sparkprof {

// Which operators the code of a frame serves.
enum class OperatorWork : uint8_t {
  kNone,       // any: the operator of the frames above it
  kGenerated,  // a method of generated code
  kNamed,      // the operator whose class it is
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

// Parts of an operator's work that Spark measures, too.
enum class TimedWork : uint8_t { kNone, kSort, kAggregate, kBuild, kScan };

struct OperatorFrame {
  OperatorWork work = OperatorWork::kNone;
  // kNamed: the operator's kind, or an engine's function; kGenerated: the prefix of its methods ("hashAgg"), may be
  // empty; kPythonFunction: the function without its class. A part of the frame's name.
  std::string_view name;
  int32_t codegen = 0;    // kGenerated: number of the code generation, 0 = unknown
  int32_t number = -1;    // kGenerated: the position among methods of the same name, in the order of their generation
  bool consumes = false;  // kGenerated: takes rows of the operator below, so that the lowest operator has number 0
  bool feeds_python = false;  // computes the input of Python workers: operators below run inside
  TimedWork timed = TimedWork::kNone;
};

// Facts from the name of a frame.
OperatorFrame ReadOperatorFrame(std::string_view name, FrameKind kind);

// Whether the frame can be that operator's. Of kShuffleWrite and kShuffleRead, the caller checks the stage.
bool CanBe(const PlanOperator& one, const OperatorFrame& frame);

// The node's metric of that work, nothing if it has none.
std::optional<int64_t> ValueOf(const PlanNode& node, TimedWork timed);
std::string_view MetricName(const PlanNode& node, TimedWork timed);  // empty if it has none

}  // namespace sparkprof
