// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "model/application.h"

namespace sparkprof {

class EventBatch;
struct EventBatchPosition;

// Reads Spark's JSON events (JsonProtocol of Spark 1.3 to 4.x, live or from an event log) into an application: jobs,
// stages, tasks with metrics, executors, SQL executions with plans, environment. Skips and counts unknown events and
// fields, and lines that are not JSON. Reads several hundred MB/s: no allocation per event except for the application's
// data.
class EventReader {
 public:
  // End of the warning about events with a wrong time, after their number.
  static constexpr std::string_view kStrayedWarning =
      "stamped more than a day after events that follow: ignored for the application's duration";

  explicit EventReader(Application* application);
  ~EventReader();
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;

  // One event: a JSON object without line end.
  void Add(std::string_view event);

  // Complete lines, one event each; skips empty lines. Stops before the start of another application's log
  // (concatenated logs) and returns the rest; empty = everything was read.
  std::string_view AddLines(std::string_view lines);

  // Adds the events of `batch` from `position` on. Stops before the start of another application's log and returns
  // false, with `position` there; true = everything was read.
  bool AddBatch(const EventBatch& batch, EventBatchPosition* position);

  // The application so far, finished. More events can be added afterwards.
  Application Snapshot();

  // Resolves data that depends on all events (job of each stage, plan metrics). Call once, at the end.
  void Finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sparkprof
