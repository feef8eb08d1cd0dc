// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "native_names.h"
#include "python_activity.h"
#include "python_allocations.h"
#include "segment_writer.h"
#include "task_times.h"
#include "worker_ring.h"

namespace sparkprof {

// Returns "4711-99.ring".
std::string RingName(int64_t pid, int64_t start_ticks);

// Reads the rings of a JVM's Python workers (docs/agent-protocol.md) and removes those of exited workers. Continues to
// read a deleted ring while its worker is running.
class RingDrain {
 public:
  RingDrain(SegmentWriter* writer, PythonActivity* activity, const TaskTimes* times)
      : writer_(writer), activity_(activity), times_(times) {}

  void SetFolder(std::string folder) { folder_ = std::move(folder); }

  // Reads all rings. Calls `on_task_end` with the process of each worker that finished a task.
  void Drain(const std::function<void(int64_t pid, int64_t start_ticks)>& on_task_end = {});

  // CLOCK_MONOTONIC of the oldest sample that was read but not passed to the writer; 0 = none.
  int64_t PendingSince() const { return batch_->oldest_ns; }
  // Passes the samples read so far to the writer; allocations of the last bucket wait.
  void HandOver();
  // Sets the workers' sampling interval; 0 = no samples. -1 (initial value) = the workers' own setting.
  void SetInterval(int64_t interval_ns);

  // Reads and passes on the rest, and removes every ring and the folder that the plugin created for them, which a
  // killed JVM cannot do itself.
  void Finish();

  bool HasRing(int64_t pid, int64_t start_ticks) const;

  // Names of the rings that were read to their end since the last call.
  std::set<std::string> TakeFinished() { return std::exchange(finished_, {}); }

  void NoteLosses();

 private:
  // Totals of removed rings, or of one ring.
  struct Losses {
    int64_t dropped = 0, torn = 0, unreadable = 0, damaged_bytes = 0, notices = 0, native_unknown = 0,
            native_guessed = 0;
    void Add(const WorkerRing& ring);
  };

  bool Open(const std::string& name);
  void HandOver(int64_t allocations_until_ns);
  void RemovePrivateFolder() const;

  SegmentWriter* writer_;
  PythonActivity* activity_;
  const TaskTimes* times_;
  NativeNames names_;
  std::string folder_;
  std::map<std::string, std::unique_ptr<WorkerRing>> rings_;  // by file name
  std::unique_ptr<PythonBatch> batch_ = std::make_unique<PythonBatch>();
  std::optional<PythonAllocations> allocations_;  // since the first ring
  int64_t drained_ns_ = 0;                        // epoch time of the last Drain
  int64_t interval_ns_ = -1;
  Losses gone_;
  std::set<std::string> finished_;
  int64_t refused_ = 0;     // number of files that are not rings
  int64_t not_listed_ = 0;  // number of times that the folder could not be read
};

}  // namespace sparkprof
