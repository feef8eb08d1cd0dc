// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "model/application.h"

namespace sparkprof {

// Feeds Spark's own JSON events (JsonProtocol of Spark 1.3 to 4.x, live or from an event log) into an application:
// jobs, stages, tasks with their metrics, executors, SQL executions with plans, environment. Unknown events and fields
// are skipped and counted; a line that is not JSON is counted and never ends the reading. Built to take whole event
// logs at several hundred MB/s: no allocation per event beyond what the application keeps.
class EventReader {
 public:
  explicit EventReader(Application* application);
  ~EventReader();
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;

  // One event: a JSON object without line end.
  void Add(std::string_view event);

  // A text of whole lines, one event each; empty lines are skipped. Stops before the begin of another application's log
  // (logs that were put together) and gives what is left; empty = all was read.
  std::string_view AddLines(std::string_view lines);

  // Resolves what needs all events (job of each stage, plan metrics). Call once, at the end.
  void Finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sparkprof
