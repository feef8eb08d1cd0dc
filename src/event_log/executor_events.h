// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "event_log/event_state.h"

namespace sparkprof {

// SparkListenerExecutorAdded, SparkListenerExecutorRemoved and SparkListenerBlockManagerAdded.
bool AddExecutorAdded(const simdjson::dom::object& event, EventState* state);
bool AddExecutorRemoved(const simdjson::dom::object& event, EventState* state);
bool AddBlockManagerAdded(const simdjson::dom::object& event, EventState* state);

// SparkListenerStageExecutorMetrics and SparkListenerResourceProfileAdded.
bool AddStageExecutorMetrics(const simdjson::dom::object& event, EventState* state);
bool AddResourceProfile(const simdjson::dom::object& event, EventState* state);

// Merges metrics that an executor reported, with "Executor Metrics" or at a task's end, into its maxima.
class PeakMetrics {
 public:
  explicit PeakMetrics(Executor* executor) : peaks_(executor->peak_metrics) {}

  void Add(std::string_view name, int64_t value);

 private:
  std::vector<std::pair<std::string, int64_t>>& peaks_;
  size_t next_ = 0;  // Spark writes them in a fixed order, so the next one is tried first
};

}  // namespace sparkprof
