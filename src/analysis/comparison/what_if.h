// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/application.h"

namespace sparkprof {

struct WhatIf {
  int64_t cores = 0;                   // total of all executors; 0 = as recorded
  bool no_skew = false;                // every task of a stage takes the mean time
  std::vector<int64_t> twice_as_fast;  // stage IDs; each of their tasks takes half its time
};

// An application's duration under other conditions: the recorded tasks, with their recorded durations, placed on the
// given cores in the scheduler's order (list scheduling), after the stages they depend on and the driver's recorded
// pauses.
struct Prediction {
  int64_t recorded_ns = 0;
  int64_t replayed_ns =
      0;  // duration under the same conditions in the model: the difference to recorded_ns is the model's error
  int64_t predicted_ns = 0;         // duration under the other conditions, corrected by the model's error
  int64_t low_ns = 0, high_ns = 0;  // range of the prediction
  int64_t recorded_cores = 0;
  int64_t cores = 0;
};

// All values are 0 for an application without a task whose start and end are known.
Prediction Predict(const Application& application, const WhatIf& what_if);

}  // namespace sparkprof
