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

// The native side of a sampler: native frames of Python threads, and native threads without Python, such as those of a
// library's pool. Fixed size, in mapped memory; does not allocate. Not thread-safe: used under the sampler's lock.
class NativeSampler {
 public:
  // `memory` and `ring` outlive it. Call from a Python thread.
  static Result<NativeSampler*> Create(const OwnPython& python, OwnMemory* memory, RingWriter* ring);

  // A thread that the sampler samples itself, and its CPU clock at its last sample.
  struct PythonThread {
    int32_t tid;
    int64_t cpu_ns;
  };

  // From now on, samples of native threads have the time since now.
  void StartClocks() { ListThreads(/*are_new=*/false); }
  // Call at each tick.
  void BeginTick(int64_t now_ns);
  // Asks a Python thread for its stacks if it runs. `clock_ns`: its clock now; `cpu_ns`: how far it advanced in the
  // last `wall_ns`.
  void Ask(int32_t tid, uint64_t state, int64_t clock_ns, int64_t cpu_ns, int64_t wall_ns, int64_t now_ns);
  // Asks the threads that are not among `python`, then waits for the answers of all.
  void AskOthers(const PythonThread* python, size_t count, int64_t now_ns);
  // Changes when code IDs become invalid.
  uint32_t CodeGeneration() const { return stacks_.codes().Generation(); }

  enum class Answer : uint8_t {
    kRead,   // the stacks are in Captured() and Merge()
    kLater,  // the thread answers when it gets a CPU: its time counts at its next sample
    kNone,   // native code cannot be sampled
  };
  // Both stacks of a Python thread, read at the same time:
  //     native.BeginStack();
  //     if (native.Read(tid, state, ran) == Answer::kRead) …native.Captured(), native.Merge(…)…;
  //     native.EndStack(published);
  void BeginStack() { stacks_.codes().Begin(); }
  // `ran`: whether it used CPU time. A thread that sleeps and was not asked is read as it is.
  Answer Read(int32_t tid, uint64_t state, bool ran);
  const StackCapture& Captured() { return *captured_; }
  bool HasAnswered() const { return answered_tid_ != 0; }  // itself, instead of being read while it slept
  const MergedStack& Merge(const RingFrame* python, const bool* is_entry, size_t depth, bool is_truncated);
  void EndStack(bool published);

  // Samples the others that were asked; their time counts for `task`.
  void SampleOthers(int64_t now_ns, int64_t task);
  // The time up to now counts for `task`, on the stacks that were seen last.
  void CutAtTask(const PythonThread* python, size_t count, int64_t now_ns, int64_t task);
  // The CPU clock of a thread at its last sample as a native thread; 0 = it had none.
  int64_t SampledCpuNs(int32_t tid);
  // The sampler's own thread is not sampled.
  void SetOwnThread(int32_t tid) { own_tid_ = tid; }

 private:
  static constexpr size_t kThreads = 256;  // further native threads are not sampled
  static constexpr size_t kDepth = 128;

  struct Thread {
    int32_t tid = 0;  // 0 = free
    uint32_t last_list = 0;
    bool is_asked = false;
    int64_t cpu_ns = 0;       // its clock at the last published sample
    int64_t wall_ns = 0;      // monotonic, likewise
    int64_t new_cpu_ns = -1;  // its clock in this tick; -1 = it did not run
    int64_t missed_ns = -1;   // monotonic, when its stack could not be read for the first time; -1 = it could
    uint32_t codes = 0;       // generation of the codes in `frames`
    uint16_t depth = 0;
    RingFrame frames[kDepth];
  };

  NativeSampler(const OwnPython& python, OwnMemory* memory, RingWriter* ring)
      : ring_(ring), stacks_(python, memory), sleeping_(python) {}

  Thread* Find(int32_t tid);
  std::span<Thread> Threads() { return {threads_, used_}; }
  void ListThreads(bool are_new);
  // Its CPU time since the last sample, at least kSomeCpuNs; -1 = less, or it is not sampled here.
  int64_t NewCpuNs(Thread* thread, const PythonThread* python, size_t count) const;
  Answer TakeAnswer(int32_t tid, uint64_t state);
  void SampleOther(Thread* thread, int64_t now_ns, int64_t task);
  void Write(Thread* thread, int64_t now_ns, int64_t cpu_ns, int64_t task);

  RingWriter* ring_;
  NativeStacks stacks_;
  StackCapture sleeping_;                   // of the last thread that was read without asking it
  const StackCapture* captured_ = nullptr;  // the last answer
  int32_t answered_tid_ = 0;                // its thread, if it was asked
  MergedStack merged_;
  int32_t own_tid_ = 0;
  uint32_t tick_ = 0;
  uint32_t list_ = 0;
  size_t used_ = 0;       // all threads are in the first of threads_
  size_t next_ = 0;       // where the next tick begins
  bool has_room_ = true;  // in this tick, all threads could be asked
  uint64_t tried_ = 0;
  uint64_t unknown_ = 0;  // stacks that could not be read, or have frames that could not be found
  uint64_t guessed_ = 0;  // stacks with callers that were searched
  bool told_of_signal_ = false;
  Thread threads_[kThreads];
};

}  // namespace sparkprof
