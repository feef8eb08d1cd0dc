// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "code_table.h"
#include "own_memory.h"
#include "own_python.h"
#include "stack_counter.h"
#include "ticker.h"

namespace sparkprof {

// Counts the stacks of this process's Python threads and samples its CPU and memory while a function runs, for the
// profiler classes of python/sparkprof/pyspark_profilers.py, which fetch the result after the function. Memory is
// fixed: stacks beyond the limit are counted together; beyond the limit of points, every other point is dropped.
//
// The thread stays idle between functions, because starting it for each function would miss functions shorter than its
// startup. It exits after some time without a function.
class Collector : public Ticker {
 public:
  struct Point {
    int64_t epoch_ms;
    int64_t rss_bytes;
    int64_t virtual_bytes;
    int64_t page_faults;  // since the process started
    double cpu_percent;   // percent of one CPU since the previous point
  };

  // `version_hex` is sys.hexversion. The object lives as long as the process.
  static Result<Collector*> Create(uint32_t version_hex);

  // Starts a function. Returns false if no thread can be created.
  bool Enter(int64_t interval_ns, bool stacks, bool points);
  // Ends the function; nothing is added until the next Enter. Returns the number of samples and points.
  size_t Leave();
  // Ends the thread immediately.
  void End();
  // Suspends the thread during a fork; call Continue in the parent.
  void Suspend() { Stop(); }
  void Continue();

  // Valid between Leave and Enter.
  const StackCounter& stacks() const { return stacks_; }
  const Point* points() const { return points_; }
  size_t point_count() const { return point_count_; }
  void Clear();

 private:
  static constexpr size_t kThreads = 64;  // further Python threads are ignored
  static constexpr size_t kPoints = 4096;

  explicit Collector(const OwnPython& python);

  void OnStart() override;
  bool OnTick() override;
  void AddStacks();
  void AddStack(uint64_t thread);
  void AddPoint();
  void NoteClocks();

  OwnMemory memory_;
  StackWalker walker_;
  CodeTable codes_;
  uint64_t code_generation_ = 0;
  RawStack raw_;
  RingFrame frames_[kMaxFrames];
  StackCounter stacks_;
  size_t samples_ = 0;

  Point points_[kPoints];  // written before use
  size_t point_count_ = 0;
  uint32_t ticks_for_point_ = 1;
  uint32_t ticks_since_point_ = 0;
  int64_t cpu_ns_ = 0;  // at the last point
  int64_t monotonic_ns_ = 0;

  // Guards the following members.
  pthread_mutex_t mutex_;
  bool inside_ = false;  // whether a function is running
  bool alive_ = false;   // whether the thread was started and has not ended on its own
  bool wants_stacks_ = false;
  bool wants_points_ = false;
  int64_t left_ns_ = 0;
};

}  // namespace sparkprof
