// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/io/file.h"
#include "base/result.h"
#include "capture/python/python_process.h"
#include "cpython/frame_text.h"
#include "cpython/stack_walker.h"
#include "model/samples/stack_table.h"
#include "model/samples/string_table.h"

namespace sparkprof {

// Current stack of one thread.
struct PythonStack {
  int64_t tid = 0;    // OS thread ID; 0 = unknown
  StackId stack = 0;  // 0 = not running Python code
  bool holds_gil = false;
  bool on_cpu = false;  // running or runnable
  bool truncated = false;
  int64_t cpu_ns = 0;  // its share of the process's CPU time since the last sample; 0 at the first
};

// Samples a CPython process from outside, without pausing it or running code in it. Stacks are added to the caller's
// tables, which must outlive this object. Each thread's CPU time comes from the kernel's schedstat. CPU time of threads
// without Python (a library's pool) is divided evenly among the running Python threads, as is all CPU time if the
// kernel has no schedstat. Not thread-safe.
class ProcessSampler {
 public:
  ProcessSampler(PythonProcess python, StringTable* strings, FrameTable* frames, StackTable* stacks);

  // Samples all threads. Threads with an unreadable stack are omitted and counted. Returns false if the process has
  // ended.
  bool Sample(std::vector<PythonStack>* threads);

  // Whether no thread ran between the last two samples.
  bool StoodStill() const { return stands_still_; }

  // Uses other tables from now on.
  void UseTables(StringTable* strings, FrameTable* frames, StackTable* stacks);

  int64_t Torn() const { return torn_; }  // stacks that changed while they were read
  int64_t Unreadable() const { return unreadable_; }
  const PythonProcess& Process() const { return python_; }

 private:
  struct RawFrameHash {
    size_t operator()(const RawFrame& frame) const;
  };
  struct Known {
    RawFrame frame;
    StackId stack;  // stack with this frame on top
  };
  struct ThreadFiles {
    FileDescriptor stat, schedstat;  // files in /proc/PID/task/TID
    std::string asleep_at;           // content of `schedstat` while the thread slept; empty = it ran, or unknown
    int64_t cpu_ns = -1;             // CPU time from `schedstat` at the last sample
  };
  struct Activity {
    bool may_run = true;
    int64_t cpu_ns = -1;  // CPU time since its start; -1 = unknown
  };
  bool LooksStill();
  void ReadThreads();
  void ForgetFrames();
  bool StackOf(const RawStack& raw, StackId* stack);
  FrameId FrameOf(const RawFrame& frame);
  int64_t ThreadIdOf(const RawStack& stack);
  ThreadFiles& FilesOf(int64_t tid);
  Activity ActivityOf(int64_t tid);
  bool Runs(int64_t tid);
  int64_t CpuNs() const;
  void ShareCpu(int64_t cpu_ns);
  void ShareAmongThreads(int64_t spent_ns);

  PythonProcess python_;
  StringTable* strings_;
  FrameTable* frames_;
  StackTable* stacks_;
  ProcessMemory memory_;
  StackWalker walker_;
  FrameReader reader_;
  RawStack raw_;
  std::vector<PythonStack> threads_;  // threads of the last sample
  std::vector<Known> last_;           // frames of the last stack, root first
  std::unordered_map<RawFrame, FrameId, RawFrameHash> known_;
  std::unordered_map<uint64_t, int64_t> thread_ids_;  // by pthread_t; up to Python 3.10
  std::unordered_map<int64_t, ThreadFiles> files_;    // by thread ID
  clockid_t clock_ = 0;                               // CPU clock of the process
  bool has_clock_ = false;
  int64_t clock_ns_ = -1;  // current CPU time of the process
  int64_t cpu_ns_ = -1;    // CPU time of the process at the last sample
  int64_t still_ns_ = -1;  // CPU time of the process before all of threads_ were read; -1 = they must be read
  bool runs_ = false;      // a thread was running at still_ns_
  bool stands_still_ = false;
  uint64_t code_generation_ = 0;
  int64_t torn_ = 0;
  int64_t unreadable_ = 0;
};

}  // namespace sparkprof
