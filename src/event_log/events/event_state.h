// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "event_log/events/accumulator_table.h"
#include "event_log/events/cached_blocks.h"
#include "event_log/events/decoded_task.h"
#include "model/application.h"
#include "model/application_index.h"
#include "model/redaction/own_redaction.h"

namespace sparkprof {

// Tracks the time of an event log. Because of a clock change or a concatenated log, events may have times far ahead of
// the following ones. Such events are ignored.
class EventClock {
 public:
  // `time_ns`: time of an event; for a finished task its end, not its start.
  void See(int64_t time_ns) {
    if (time_ns <= 0) return;
    if (last_ns_ > 0 && time_ns > last_ns_ + kFarAhead) {
      ahead_ns_ = std::max(ahead_ns_, time_ns);
      ++ahead_;
      return;
    }
    strayed_ += std::exchange(ahead_, 0);
    ahead_ns_ = 0;
    last_ns_ = std::max(last_ns_, time_ns);
  }

  int64_t Last() const { return std::max(last_ns_, ahead_ns_); }  // since the Unix epoch; 0 = no event had a time
  int64_t Strayed() const { return strayed_; }                    // number of ignored events

 private:
  static constexpr int64_t kFarAhead = 86'400 * kNanosPerSecond;

  int64_t last_ns_ = 0;
  int64_t ahead_ns_ = 0;  // time of the events after `last_ns_`; without a step back, it was a pause
  int64_t ahead_ = 0;
  int64_t strayed_ = 0;
};

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
