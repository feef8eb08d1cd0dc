// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>

#include "model/application.h"

namespace sparkprof {

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

}  // namespace sparkprof
