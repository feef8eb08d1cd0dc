// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Determines which stages can have called an engine's code, from the operators of their plans. Reads plans and stages
// on construction; frames may be added to the profile later.
class StageOperators {
 public:
  explicit StageOperators(const Application& application);

  // Whether the plan of the task's stage has an operator that this native function implements. `task` is a row of
  // Profile::tasks.
  bool Runs(uint32_t task, FrameId function);

 private:
  const Profile& profile_;
  std::vector<int32_t> stages_;                           // by task: row of operators_; -1 = unknown
  std::vector<std::vector<std::string_view>> operators_;  // operator names by row of Application::stages
  std::map<std::pair<int32_t, FrameId>, bool> runs_;
};

}  // namespace sparkprof
