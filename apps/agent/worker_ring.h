// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cpython/ring/ring_reader.h"
#include "native_names.h"
#include "python_activity.h"
#include "python_allocations.h"
#include "python_rows.h"
#include "segment_writer.h"
#include "task_times.h"

namespace sparkprof {

// Converts the records of a worker to rows of a batch:
//     cpu   weight = the thread's CPU time since its last sample
//     wall  weight = the time since its last sample; sleeping if it waits for the JVM or used hardly any CPU, else
//   running
// Allocations and releases go to `allocations`.
// A sample without a task belongs to the previous or next task of the worker if that task's interval in the JVM
// contains it.
class WorkerRing : public RingHandler {
 public:
  WorkerRing(RingReader reader, int64_t bucket_ns, SegmentWriter* writer, PythonActivity* activity,
             PythonAllocations* allocations, const TaskTimes* times, NativeNames* names);

  // Reads the available records; `epoch_offset_ns` is epoch minus monotonic time. The batch must stay the same until
  // Complete().
  void Drain(int64_t epoch_offset_ns, PythonBatch* batch);

  // Call before the batch is written: assigns undecided samples to tasks.
  void Complete();

  // Call when the worker has exited: an open task gets no end.
  void Finish();
  // Call when the worker has exited: its memory is free. `time_ns`: epoch time.
  void ReleaseAll(int64_t time_ns);

  const RingReader& Reader() const { return reader_; }
  void SetIntervalNs(int64_t interval_ns) { reader_.SetIntervalNs(interval_ns); }
  int64_t DroppedNotices() const { return dropped_notices_; }
  bool TakeTaskEnded() { return std::exchange(task_ended_, false); }

  void OnCode(const RingCode& code, std::string_view function, std::string_view file) override;
  void OnSample(const RingSample& sample, const RingFrame* frames) override;
  void OnTaskBegin(const RingTaskBegin& begin) override;
  void OnTaskEnd(const RingTaskEnd& end) override;
  void OnUdf(const RingUdf& udf, std::string_view function, std::string_view file) override;
  void OnNotice(uint16_t level, std::string_view text) override;
  void OnAllocation(const RingAllocation& allocation, const RingFrame* frames) override;
  void OnRelease(const RingRelease& release) override;
  void OnArrow(const RingArrow& arrow) override;
  void OnNativeCode(const RingNativeCode& code, std::string_view path) override;

 private:
  struct Code {
    std::string function;
    std::string file;
    FrameKind kind = FrameKind::kPython;
    bool operator==(const Code&) const = default;
  };
  // Tables of stacks, and the IDs of frames in them by code ID and line.
  struct Target {
    StackTables* tables;
    std::unordered_map<uint64_t, FrameId>* frames;
  };
  // A sample whose task is not known yet.
  struct Undecided {
    SegmentSample sample;  // without event, weight and count, which are set on writing
    int64_t monotonic_ns = 0;
    int64_t cpu_ns = 0;
    int64_t wall_ns = 0;
    PythonPhase phase = PythonPhase::kNone;
    int64_t task_before = kNoTask;
    int64_t task_after = kNoTask;
  };

  StackId StackOf(bool truncated, const RingFrame* frames, size_t count, const Target& target);
  static ThreadState StateOf(const RingSample& sample, int64_t cpu_ns, int64_t wall_ns, PythonPhase phase);
  FrameId FrameOf(const RingFrame& frame, const Target& target);
  void Define(uint32_t id, Code code);
  uint32_t ThreadRow(int64_t tid);
  void AddActivity(int64_t task, const RingSample& sample, int64_t wall_ns, ThreadState state);

  RingReader reader_;
  const int64_t bucket_ns_;
  SegmentWriter* writer_;
  PythonActivity* activity_;
  PythonAllocations* allocations_;
  const TaskTimes* times_;
  NativeNames* names_;
  PythonBatch* batch_ = nullptr;
  int64_t epoch_offset_ns_ = 0;
  std::vector<Code> codes_;                            // by code ID
  std::unordered_map<uint64_t, FrameId> frames_;       // IDs in the batch by code ID and line
  std::unordered_map<uint64_t, FrameId> kept_frames_;  // IDs in the tables of allocations_
  std::unordered_map<uint64_t, uint64_t> blocks_;      // IDs in allocations_ of blocks in use, by number
  std::unordered_map<int64_t, uint32_t> thread_rows_;  // rows in the batch
  std::vector<Undecided> undecided_;
  std::optional<RingTaskBegin> open_;  // the worker's current task
  int64_t last_task_ = kNoTask;
  bool task_ended_ = false;
  int notices_ = 0;
  int64_t dropped_notices_ = 0;
};

}  // namespace sparkprof
