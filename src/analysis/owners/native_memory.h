// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/owners/sample_owners.h"
#include "model/application.h"

namespace sparkprof {

// Native memory in use, from samples of allocations (malloc) and releases (free), which have the thread, task and stack
// of the allocation. A sample represents the bytes allocated since the previous one, so sums are estimates, exact for
// allocations larger than the interval.

// Whether releases were recorded. Otherwise the memory in use is unknown.
bool RecordsNativeReleases(const Application& application);

// Bytes in use in each JVM, by executor row, at the end of each time bucket with a change.
std::map<int32_t, std::vector<SeriesPoint>> NativeMemoryInUse(const Application& application);
// Likewise, bytes that the Python processes hold, by the samples of pyalloc; empty without them.
std::map<int32_t, std::vector<SeriesPoint>> PythonMemoryInUse(const Application& application);

struct NativeUse {
  OwnerName owner;
  StackId stack = 0;
  int64_t bytes = 0;
};

// Memory in use in each JVM at the end of the bucket that contains its time: times and results by executor row, largest
// use first.
std::map<int32_t, std::vector<NativeUse>> NativeUses(const Application& application,
                                                     const std::map<int32_t, int64_t>& times_ns);

// Keeps only samples of allocations between two times (nullopt = unlimited) that are still in use at the second one.
void KeepUnreleased(std::optional<int64_t> from_ns, std::optional<int64_t> to_ns, Profile* profile);

// Functions of a stack, callers first: "a → b → malloc". Only the last `most` of them.
std::string CallPath(const Profile& profile, StackId stack, size_t most);

// Memory of an executor or the driver at one time, in bytes. The parts from heap_used to untracked add up to `total`,
// unless reserved memory is not resident; nullopt = not recorded.
struct MemoryParts {
  int32_t executor = -1;
  int64_t time_ns = 0;
  int64_t total = 0;  // resident memory of the JVM, plus `python`
  std::optional<int64_t> heap_used;
  std::optional<int64_t> metaspace;
  std::optional<int64_t> spark_off_heap;  // reserved by Spark's memory manager, also for a native engine
  std::optional<int64_t> direct_buffers;
  std::optional<int64_t> native;   // other native memory in use, from samples
  std::optional<int64_t> python;   // daemons, workers and the driver's program, shared pages counted once
  std::optional<int64_t> program;  // part for the driver's program
  // Parts of `python`: held by Python's and NumPy's allocators, from samples; Arrow's memory pool, by its own counter;
  // the rest.
  std::optional<int64_t> python_live, arrow, other_native;
  int64_t untracked = 0;  // rest of the JVM: resident free heap, thread stacks, code, and memory that is not recorded
  std::optional<int64_t> heap_committed, limit;  // not parts: capacity of the heap; limit of the container
};

// One entry per reading of the JVMs' resident memory, in order of executor and time.
std::vector<MemoryParts> MemoryOverTime(const Application& application);

}  // namespace sparkprof
