// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "analysis/plans/operator_frames.h"
#include "model/application.h"
#include "model/plan_operators.h"

namespace sparkprof {

struct SqlOperator {
  int32_t sql = -1;  // row of Application::sql_executions
  PlanOperator one;
};

// Samples in a part of an operator's work that Spark also measures, including callees.
struct TimedSamples {
  int32_t operator_row = -1;
  TimedWork timed = TimedWork::kNone;
};

// Joins samples to the operators of the SQL plans.
//
// A sample belongs to the operator whose code is the innermost in its stack. Frames of generated code give the code
// generation and, by their methods' names, the operator. Other frames give it by their class. Of several operators of a
// kind, the one counts that the frames above can reach: the plan is walked as the stack calls it. A Python function
// belongs to the operator that calls it in the plan. Code that is generated into one method is the operator's that the
// method belongs to. Samples of the driver that build a broadcast belong to the BroadcastExchange of the SQL execution
// that runs.
class OperatorJoin {
 public:
  static constexpr int32_t kNone = -1;

  // `application` must outlive this.
  explicit OperatorJoin(const Application& application);

  const std::vector<SqlOperator>& Operators() const { return operators_; }

  bool IsOfSql(const Sample& sample) const { return place_of_task_[sample.task].sql >= 0; }

  // Stacks of samples: those of the profile, or of a table derived from it.
  struct Stacks {
    std::function<StackTable::Node(StackId)> node;
    std::function<FrameId(FrameId)> frame;  // frame of the profile; 0 = not in it
    int64_t origin_ns = 0;                  // time origin of the samples
  };
  Stacks OfProfile() const;

  // The row of Operators() for each sample; kNone if it belongs to none. Calls `visit`, if set, with each sample's
  // index and the timed work that it is part of.
  using Visit = std::function<void(size_t sample, const TimedSamples& timed)>;
  std::vector<int32_t> Join(const std::vector<Sample>& samples, const Stacks& stacks, const Visit& visit = {}) const;

 private:
  // SQL execution and stage of a task; stage -1 = the driver's work for it.
  struct Place {
    int32_t sql = -1;
    int64_t stage = -1;

    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the compiler's own 0 for a pointer
    auto operator<=>(const Place&) const = default;
  };
  class Walk;

  bool BuildsBroadcast(StackId stack, const Stacks& stacks) const;
  int32_t BroadcastAt(int64_t time_ns) const;

  const Application& application_;
  std::vector<SqlOperator> operators_;
  std::vector<size_t> first_of_sql_;      // row in operators_ by SQL execution, plus the end
  std::vector<OperatorFrame> frames_;     // by FrameId
  std::vector<Place> place_of_task_;      // by row of the profile's tasks
  std::vector<int32_t> with_broadcasts_;  // rows of SQL executions
};

}  // namespace sparkprof
