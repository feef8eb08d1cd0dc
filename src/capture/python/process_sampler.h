// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "capture/python/python_process.h"
#include "cpython/frame_text.h"
#include "cpython/stack_walker.h"
#include "model/stack_table.h"
#include "model/string_table.h"

namespace sparkprof {

// One thread's stack, now.
struct PythonStack {
  int64_t tid = 0;    // OS thread id; 0 = not known
  StackId stack = 0;  // 0 = runs no Python code
  bool holds_gil = false;
  bool on_cpu = false;  // runs, or could if a CPU were free
  bool truncated = false;
  int64_t cpu_ns = 0;  // of the process's CPU time since the last sample, 0 at the first
};

// Samples a CPython process from outside, without pausing it or running code in it. Stacks go to tables of the caller,
// which must outlive this object. CPU time is that of each thread, from the kernel's schedstat. CPU time of threads
// without Python (a library's pool) is divided evenly among the running Python threads, and so is all CPU time if the
// kernel has no schedstat. Not thread-safe.
class ProcessSampler {
 public:
  ProcessSampler(PythonProcess python, StringTable* strings, FrameTable* frames, StackTable* stacks);

  // All threads of the process; threads with an unreadable stack are omitted and counted. False if the process is gone.
  bool Sample(std::vector<PythonStack>* threads);

  // Whether no thread had run between the last two samples.
  bool StoodStill() const { return stands_still_; }

  // Other tables from now on.
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
    StackId stack;  // with it on top
  };
  struct ThreadFiles {
    FileDescriptor stat, schedstat;  // of /proc/PID/task/TID
    std::string asleep_at;           // the second when the thread slept; empty = it ran, or that is not known
    int64_t cpu_ns = -1;             // by the second, up to the last sample
  };
  struct Activity {
    bool may_run = true;
    int64_t cpu_ns = -1;  // of its lifetime; -1 = unknown
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
  std::vector<PythonStack> threads_;  // of the last sample
  std::vector<Known> last_;           // the frames of the stack that was read last, root first
  std::unordered_map<RawFrame, FrameId, RawFrameHash> known_;
  std::unordered_map<uint64_t, int64_t> thread_ids_;  // by pthread_t, up to Python 3.10
  std::unordered_map<int64_t, ThreadFiles> files_;    // by tid
  clockid_t clock_ = 0;                               // of the process's CPU time
  bool has_clock_ = false;
  int64_t clock_ns_ = -1;  // of the process, now
  int64_t cpu_ns_ = -1;    // of the process at the last sample
  int64_t still_ns_ = -1;  // of the process before threads_ were read, all of them; -1 = they are to be read
  bool runs_ = false;      // a thread ran when the clock stood at still_ns_
  bool stands_still_ = false;
  uint64_t code_generation_ = 0;
  int64_t torn_ = 0;
  int64_t unreadable_ = 0;
};

}  // namespace sparkprof
