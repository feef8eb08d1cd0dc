// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/python/process_sampler.h"
#include "python_activity.h"
#include "python_rows.h"
#include "segment_writer.h"
#include "task_times.h"

namespace sparkprof {

// Samples Python processes from outside by reading their memory: workers without a ring, and the driver's program. The
// task of such a worker is known only while the JVM runs a single task; otherwise its samples have none.
class OutsideSampler {
 public:
  OutsideSampler(SegmentWriter* writer, PythonActivity* activity, const TaskTimes* times)
      : writer_(writer), activity_(activity), times_(times) {}

  // 0 = disabled. The interval is longer for many processes and while none is running.
  void SetInterval(int64_t interval_ns);

  // Sets the current workers without a ring and driver programs, PID → start ticks. A worker is sampled from the second
  // call on, because its ring may not exist yet. `slowness` stretches the interval.
  void Follow(const std::map<int64_t, int64_t>& workers, int64_t slowness,
              const std::map<int64_t, int64_t>& programs = {});

  // CLOCK_MONOTONIC of the next sample; INT64_MAX = none is due.
  int64_t NextNs() const { return samplers_.empty() ? INT64_MAX : next_ns_; }
  void Sample(int64_t now_ns);

  void HandOver();
  int64_t PendingSince() const { return batch_->oldest_ns; }

  bool IsOn() const { return interval_ns_ > 0; }
  bool Samples(int64_t pid) const { return samplers_.contains(pid); }

  void NoteLosses();

 private:
  struct Worker {
    bool is_driver = false;
    std::unique_ptr<ProcessSampler> sampler;       // writes to the tables of the batch
    std::unordered_map<int64_t, int64_t> last_ns;  // time of the last sample by thread
  };

  void Find(int64_t pid, bool is_driver);
  void Stop(int64_t pid);
  void AddThread(int64_t pid, const PythonStack& thread, int64_t now_ns, Worker* worker);

  SegmentWriter* writer_;
  PythonActivity* activity_;
  const TaskTimes* times_;
  int64_t interval_ns_ = 0;
  int64_t slowness_ = 1;
  int64_t calm_ = 1;  // consecutive scans without a running process, including the last
  int64_t next_ns_ = 0;
  int64_t epoch_offset_ns_ = 0;
  std::map<int64_t, int64_t> named_;  // by PID: start ticks of processes passed to Follow before, sampled or not
  std::map<int64_t, Worker> samplers_;
  std::unique_ptr<PythonBatch> batch_ = std::make_unique<PythonBatch>();
  std::map<std::pair<int64_t, int64_t>, uint32_t> thread_rows_;  // rows in the batch by process and thread
  std::vector<PythonStack> stacks_;
  int64_t torn_ = 0;  // sum over ended workers
  int64_t unreadable_ = 0;
  std::set<int64_t> refused_;  // processes that cannot be read
};

}  // namespace sparkprof
