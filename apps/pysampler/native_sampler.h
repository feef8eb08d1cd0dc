// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "cpython/ring/ring_writer.h"
#include "merged_stack.h"
#include "native_stacks.h"
#include "own_memory.h"

namespace sparkprof {

// The native part of a sampler: native frames of Python threads, and native threads without Python, such as a library's
// pool. Fixed size, in mapped memory; does not allocate. Not thread-safe: used under the sampler's lock.
class NativeSampler {
 public:
  // `memory` and `ring` must outlive it. Call from a Python thread.
  static Result<NativeSampler*> Create(const OwnPython& python, OwnMemory* memory, RingWriter* ring);

  // A thread that the sampler itself samples, and its CPU clock at the last sample.
  struct PythonThread {
    int32_t tid;
    int64_t cpu_ns;
  };

  // Starts the time that the next samples of native threads cover.
  void StartClocks() { ListThreads(/*are_new=*/false); }
  // Call at each tick.
  void BeginTick(int64_t now_ns);
  // Requests a Python thread's stacks if it is running. `clock_ns`: its current clock; `cpu_ns`: the advance of its
  // clock in the last `wall_ns`.
  void Ask(int32_t tid, uint64_t state, int64_t clock_ns, int64_t cpu_ns, int64_t wall_ns, int64_t now_ns);
  // Requests the stacks of threads that are not in `python`, then waits for all answers.
  void AskOthers(const PythonThread* python, size_t count, int64_t now_ns);
  // Changes when code IDs become invalid.
  uint32_t CodeGeneration() const { return stacks_.codes().Generation(); }

  enum class Answer : uint8_t {
    kRead,   // the stacks are in Captured() and Merge()
    kLater,  // the thread answers when it gets a CPU; its time counts at its next sample
    kNone,   // native code cannot be sampled
  };
  // Both stacks of a Python thread, read at the same time:
  //     native.BeginStack();
  //     if (native.Read(tid, state, ran) == Answer::kRead) …native.Captured(), native.Merge(…)…;
  //     native.EndStack(published);
  void BeginStack() { stacks_.codes().Begin(); }
  // `ran`: whether it used CPU time. A sleeping thread without a request is read directly.
  Answer Read(int32_t tid, uint64_t state, bool ran);
  const StackCapture& Captured() { return *captured_; }
  bool HasAnswered() const {
    return answered_tid_ != 0;
  }  // captured by the thread itself, instead of read while it was sleeping
  const MergedStack& Merge(const RingFrame* python, const bool* is_entry, size_t depth, bool is_truncated);
  void EndStack(bool published);

  // Samples the other threads with requests; their time counts for `task`.
  void SampleOthers(int64_t now_ns, int64_t task);
  // Assigns the time until now to `task`, on the last stacks.
  void CutAtTask(const PythonThread* python, size_t count, int64_t now_ns, int64_t task);
  // CPU clock of a thread at its last sample as a native thread; 0 = never sampled.
  int64_t SampledCpuNs(int32_t tid);
  // Excludes the sampler's own thread.
  void SetOwnThread(int32_t tid) { own_tid_ = tid; }

 private:
  static constexpr size_t kThreads = 256;  // further native threads are not sampled
  static constexpr size_t kDepth = 128;

  struct Thread {
    int32_t tid = 0;  // 0 = unused slot
    uint32_t last_list = 0;
    bool is_asked = false;
    int64_t cpu_ns = 0;       // its clock at the last published sample
    int64_t wall_ns = 0;      // monotonic time of the last published sample
    int64_t new_cpu_ns = -1;  // its clock in this tick; -1 = not running
    int64_t missed_ns = -1;   // monotonic time of the first failed read of its stack; -1 = readable
    uint32_t codes = 0;       // generation of the codes in `frames`
    uint16_t depth = 0;
    RingFrame frames[kDepth];
  };

  NativeSampler(const OwnPython& python, OwnMemory* memory, RingWriter* ring)
      : ring_(ring), stacks_(python, memory), sleeping_(python) {}

  Thread* Find(int32_t tid);
  std::span<Thread> Threads() { return {threads_, used_}; }
  void ListThreads(bool are_new);
  // The thread's CPU time since its last sample, at least kSomeCpuNs; -1 = less, or not sampled here.
  int64_t NewCpuNs(Thread* thread, const PythonThread* python, size_t count) const;
  Answer TakeAnswer(int32_t tid, uint64_t state);
  void SampleOther(Thread* thread, int64_t now_ns, int64_t task);
  void Write(Thread* thread, int64_t now_ns, int64_t cpu_ns, int64_t task);

  RingWriter* ring_;
  NativeStacks stacks_;
  StackCapture sleeping_;                   // the last thread read without a request
  const StackCapture* captured_ = nullptr;  // the last answer
  int32_t answered_tid_ = 0;                // thread of `captured_` if that answered a request
  MergedStack merged_;
  int32_t own_tid_ = 0;
  uint32_t tick_ = 0;
  uint32_t list_ = 0;
  size_t used_ = 0;       // number of used entries of threads_
  size_t next_ = 0;       // first entry of the next tick
  bool has_room_ = true;  // all threads of this tick could get a request
  uint64_t tried_ = 0;
  uint64_t unknown_ = 0;  // stacks that were unreadable or have unknown frames
  uint64_t guessed_ = 0;  // stacks with guessed callers
  bool told_of_signal_ = false;
  Thread threads_[kThreads];
};

}  // namespace sparkprof
