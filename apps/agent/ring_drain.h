// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "native_names.h"
#include "python_activity.h"
#include "segment_writer.h"
#include "task_times.h"
#include "worker_ring.h"

namespace sparkprof {

// "4711-99.ring"
std::string RingName(int64_t pid, int64_t start_ticks);

// Empties the rings of a JVM's Python workers (docs/agent-protocol.md) and removes those of exited workers. A ring that
// was deleted while its worker lives is still read.
class RingDrain {
 public:
  RingDrain(SegmentWriter* writer, PythonActivity* activity, const TaskTimes* times)
      : writer_(writer), activity_(activity), times_(times) {}

  void SetFolder(std::string folder) { folder_ = std::move(folder); }

  // Reads all rings. Calls `on_task_end` with the process of each worker that finished a task.
  void Drain(const std::function<void(int64_t pid, int64_t start_ticks)>& on_task_end = {});

  // CLOCK_MONOTONIC of the oldest sample that was read and not handed over yet; 0 = none.
  int64_t PendingSince() const { return batch_->oldest_ns; }
  // Hands the samples read so far to the writer.
  void HandOver();
  // Interval of the workers' samples from now on; 0 = none are taken. -1, the initial value: as the workers began.
  void SetInterval(int64_t interval_ns);

  // The end: reads what is left, hands it over, and removes every ring and the folder that the plugin made for them: a
  // killed JVM cannot.
  void Finish();

  bool HasRing(int64_t pid, int64_t start_ticks) const;

  // Names of the rings that were read to their end since the last call.
  std::set<std::string> TakeFinished() { return std::exchange(finished_, {}); }

  void NoteLosses();

 private:
  // Totals of the rings that are gone, or of one ring.
  struct Losses {
    int64_t dropped = 0, torn = 0, unreadable = 0, damaged_bytes = 0, notices = 0, native_unknown = 0,
            native_guessed = 0;
    void Add(const WorkerRing& ring);
  };

  bool Open(const std::string& name);
  void RemovePrivateFolder() const;

  SegmentWriter* writer_;
  PythonActivity* activity_;
  const TaskTimes* times_;
  NativeNames names_;
  std::string folder_;
  std::map<std::string, std::unique_ptr<WorkerRing>> rings_;  // by file name
  std::unique_ptr<PythonBatch> batch_ = std::make_unique<PythonBatch>();
  int64_t interval_ns_ = -1;
  Losses gone_;
  std::set<std::string> finished_;
  int64_t refused_ = 0;     // files that are not rings
  int64_t not_listed_ = 0;  // times that the folder could not be read
};

}  // namespace sparkprof
