// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

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
  // Changes when code IDs become invalid.
  uint32_t CodeGeneration() const { return stacks_.codes().Generation(); }

  enum class Answer : uint8_t {
    kRead,   // the stacks are in Captured() and Merge()
    kLater,  // the thread answers when it gets a CPU; its time counts at its next sample
    kNone,   // native code cannot be sampled
  };
  // Reads both stacks of a Python thread, at the same time:
  //     native.BeginStack();
  //     if (native.Read(tid, state, now_ns, ran) == Answer::kRead) …native.Captured(), native.Merge(…)…;
  //     native.EndStack(published);
  void BeginStack() { stacks_.codes().Begin(); }
  // `ran`: whether it used CPU time, so that it may be asked by a signal; a thread that sleeps is read without one.
  Answer Read(int32_t tid, uint64_t state, int64_t now_ns, bool ran);
  const StackCapture& Captured() { return stacks_.capture(); }
  const MergedStack& Merge(const RingFrame* python, const bool* is_entry, size_t depth, bool is_truncated);
  void EndStack(bool published);

  // Samples the threads that are not among `python`; their time counts for `task`.
  void SampleThreads(const PythonThread* python, size_t count, int64_t now_ns, int64_t task);
  // The time up to now counts for `task`, on the stacks that were seen last.
  void CutAtTask(const PythonThread* python, size_t count, int64_t now_ns, int64_t task);
  // The CPU clock of a thread at its last sample as a native thread; 0 = it had none.
  int64_t SampledCpuNs(int32_t tid) const;
  // The sampler's own thread is not sampled.
  void SetOwnThread(int32_t tid) { own_tid_ = tid; }

 private:
  static constexpr size_t kThreads = 256;  // further native threads are not sampled
  static constexpr size_t kDepth = 128;

  struct Thread {
    int32_t tid = 0;  // 0 = free
    uint32_t last_list = 0;
    int64_t cpu_ns = 0;      // its clock at the last published sample
    int64_t missed_ns = -1;  // monotonic, when its stack could not be read for the first time; -1 = it could
    uint32_t codes = 0;      // generation of the codes in `frames`
    uint16_t depth = 0;
    RingFrame frames[kDepth];
  };

  NativeSampler(const OwnPython& python, OwnMemory* memory, RingWriter* ring) : ring_(ring), stacks_(python, memory) {}

  Thread* Find(int32_t tid);
  void ListThreads(bool are_new);
  // Its CPU time since the last sample, at least kSomeCpuNs; -1 = less, or it is not sampled here.
  int64_t NewCpuNs(Thread* thread, const PythonThread* python, size_t count) const;
  Answer ReadSleeping(int32_t tid, uint64_t state);
  Answer Ask(int32_t tid, uint64_t state, int64_t now_ns);
  Answer SampleThread(Thread* thread, int64_t now_ns, int64_t cpu_ns, int64_t task);
  void Write(Thread* thread, int64_t now_ns, int64_t cpu_ns, int64_t task);

  RingWriter* ring_;
  NativeStacks stacks_;
  MergedStack merged_;
  int32_t own_tid_ = 0;
  uint32_t tick_ = 0;
  uint32_t list_ = 0;
  size_t next_ = 0;            // where the next tick begins
  int64_t asked_ns_ = 0;       // monotonic, when the thread that is being captured was asked
  bool python_waits_ = false;  // a Python thread could not be asked in this tick
  bool has_answer_ = false;
  uint64_t tried_ = 0;
  uint64_t unknown_ = 0;  // stacks that could not be read, or have frames that could not be found
  bool told_of_signal_ = false;
  Thread threads_[kThreads];
};

}  // namespace sparkprof
