// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <cstdint>
#include <span>

#include "allocation_sampler.h"
#include "base/result.h"
#include "code_table.h"
#include "cpython/ring/ring_writer.h"
#include "cpython/sampler_thread.h"
#include "native_sampler.h"
#include "own_memory.h"
#include "own_python.h"
#include "ticker.h"

namespace sparkprof {

// Samples the Python threads of this process from a native thread that never acquires the GIL, accesses no Python
// object and does not allocate, and writes to a ring. Samples carry the current task; the CPU time of the Python thread
// that changes the task is split exactly at the change.
//
// One per process, in mapped memory (Create). Call from Python threads.
class Sampler : public Ticker {
 public:
  struct Settings {
    const char* ring_path = nullptr;
    uint32_t version_hex = 0;  // sys.hexversion
    int64_t interval_ns = 0;   // at least 100 µs
    int64_t process_start_ticks = 0;
    bool is_program = false;  // has no tasks, and is also sampled while it waits
  };

  // Fails if this Python's structures are not as expected, or the ring cannot be created.
  static Result<Sampler*> Create(const Settings& settings);

  struct Task {
    int64_t task = -1;  // TID; -1 = none
    int32_t stage = -1;
    int32_t stage_attempt = -1;
    int32_t partition = -1;
    int32_t attempt = 0;
    int64_t sql_execution = -1;
  };
  // Adds native frames to stacks, and samples of native threads without Python. Call before Start.
  Result<void> AddNative();
  // Samples allocations, too, one in `interval_bytes` on average, for at most `budget_ns` per second; see
  // allocator_hooks.h. Call with the GIL.
  Result<void> AddAllocations(int64_t interval_bytes, int64_t budget_ns, bool small);

  // Records Arrow's memory: `bytes` is the counter of its pool, which any thread may call at any time.
  void FollowArrow(int64_t (*bytes)(const void* pool), const void* pool);

  // Sets the current task; everything before belongs to the previous one.
  void SetTask(const Task& task);
  void AddUdf(int32_t eval_type, const char* function, const char* file, uint32_t first_line);
  void AddNotice(uint16_t level, const char* text);

 private:
  static constexpr size_t kThreads = 32;  // further Python threads are not sampled

  // Last state of a thread.
  struct Thread {
    uint64_t state = 0;  // address of its thread state; 0 = unused slot
    int32_t tid = 0;
    uint32_t last_tick = 0;
    int64_t cpu_ns = -1;         // its clock at the last published sample
    int64_t wall_ns = -1;        // monotonic time of the last published sample
    int64_t walked_cpu_ns = -1;  // its clock when `frames` were read
    int64_t state_cpu_ns = -1;   // its clock when `run_state` was read
    uint16_t run_state = 0;      // kRingRunnable, kRingAsleep, or 0 if unknown
    uint32_t codes = 0;          // generation of the codes in `frames`
    bool truncated = false;
    uint16_t depth = 0;
    RingFrame frames[kMaxFrames];
  };

  class RingCodes : public CodeSink {
   public:
    explicit RingCodes(RingWriter* ring) : ring_(ring) {}
    void AddCode(uint32_t id, std::string_view function, std::string_view file, uint32_t first_line) override {
      ring_->AddCode(id, function, file, first_line);
    }

   private:
    RingWriter* ring_;
  };

  Sampler(const OwnPython& python, int64_t interval_ns, bool is_program);

  void OnStart() override;
  bool OnTick() override;
  // Applies the interval requested by the ring's reader. Returns false if paused.
  bool FollowReader();
  void ReadArrow(int64_t now_ns);
  // Starts the time that the next samples cover. Returns false if the calling thread's stack could not be read.
  bool StartClocks();
  void SampleAll();
  void AskThread(uint64_t state, uint64_t gil_holder, int64_t now_ns);
  void SampleThread(uint64_t state, uint64_t gil_holder, int64_t now_ns);
  bool ReadStack(uint64_t state, Thread* thread);
  bool ReadNative(Thread* thread);
  bool TakeStack(Thread* thread, WalkResult result, const RawStack& raw);
  size_t ListPythonThreads(NativeSampler::PythonThread* threads) const;
  bool Publish();
  uint16_t RunStateOf(Thread* thread, int64_t cpu_ns, int64_t now_ns, uint16_t known);
  Thread* FindThread(uint64_t state);
  std::span<Thread> Threads() { return {threads_, used_}; }
  void Write(Thread* thread, int64_t now_ns, int64_t cpu_ns, uint16_t flags);
  void CutAtTask(int64_t now_ns);
  int32_t TidOf(const RawStack& stack);

  const OwnPython python_;
  const bool is_program_;
  OwnMemory memory_;
  StackWalker walker_;
  CodeTable codes_;
  RingWriter ring_;
  RingCodes ring_codes_{&ring_};
  RawStack raw_;
  NativeSampler* native_ = nullptr;  // null = native code is not sampled
  uint32_t native_codes_ = 0;        // generation of its codes
  NearThread near_;
  int32_t running_tid_ = 0;  // first thread found running in this tick; 0 = none
  size_t used_ = 0;          // number of used entries of threads_
  Thread threads_[kThreads];
  uint32_t tick_ = 0;
  uint64_t torn_ = 0;
  uint64_t unreadable_ = 0;
  bool told_of_threads_ = false;
  bool is_paused_ = false;
  uint64_t code_generation_ = 0;
  int64_t idle_cpu_ns_ = -1;  // the process's clock at the last tick without a task
  uint32_t idle_ticks_ = 0;   // consecutive idle ticks
  Task task_;
  int64_t (*arrow_bytes_)(const void* pool) = nullptr;  // null = Arrow is not followed
  const void* arrow_pool_ = nullptr;
  int64_t last_arrow_bytes_ = -1, arrow_ns_ = 0;  // the last record's bytes; time of the last reading

  // Held while the ring, the threads or the task are used, for microseconds only.
  pthread_mutex_t mutex_;
};

}  // namespace sparkprof
