// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "event_log/event_clock.h"
#include "event_log/events/accumulator_table.h"
#include "event_log/events/cached_blocks.h"
#include "event_log/events/decoded_task.h"
#include "model/application.h"
#include "model/application_index.h"
#include "model/redaction/own_redaction.h"

namespace sparkprof {

// State shared by the handlers of Spark's events. A handler returns whether its event has the required members (IDs);
// all others are optional.
struct EventState {
  explicit EventState(Application* filled) : application(filled), index(filled), cached_blocks(filled) {}

  Application* application;
  ApplicationIndex index;
  CachedBlocks cached_blocks;
  AccumulatorTable accumulators;
  std::unordered_map<int64_t, int64_t> job_of_stage;                      // first job that needed a stage, by stage ID
  std::unordered_map<int64_t, std::vector<PlanMetric>> adaptive_metrics;  // latest metrics by SQL execution
  // Operators that a native engine does not run, with the reason, by SQL execution.
  std::unordered_map<int64_t, std::set<std::pair<std::string, std::string>>> engine_reasons;
  std::map<int64_t, SharedRdd> rdds;                              // RDDs of stages outside of queries, by ID
  int64_t last_ended_stage = -1;                                  // ID
  std::unordered_map<std::string, int32_t> streaming_query_rows;  // by run ID
  EventClock clock;
  TaskLists task_lists;        // lists of the current event
  OwnRedaction own_redaction;  // rules of the latest environment
};

}  // namespace sparkprof
