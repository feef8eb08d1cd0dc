// SPDX-License-Identifier: Apache-2.0
// Functions that python/sparkprof calls with ctypes, from Python threads with or without the GIL, one at a time.

#include <cstdio>

#include "allocator_hooks.h"
#include "collector.h"
#include "sampler.h"

namespace {

sparkprof::Sampler* sampler = nullptr;
sparkprof::Collector* collector = nullptr;
bool wants_native = false;
bool is_program = false;

}  // namespace

#define SPARKPROF_API extern "C" __attribute__((visibility("default")))

// Whether samplers started later also sample native code.
SPARKPROF_API void sparkprof_native(int wants) { wants_native = wants != 0; }

// Samplers started later sample a program without tasks, such as the driver's, even while it waits.
SPARKPROF_API void sparkprof_program() { is_program = true; }

// Creates the ring file and starts to sample this process; a forked child drops its parent's sampler. Returns 0, or -1
// with the reason in `reason`.
SPARKPROF_API int sparkprof_start(const char* ring_path, unsigned version_hex, long long interval_ns,
                                  long long process_start_ticks, char* reason, int reason_size) {
  sampler = nullptr;
  sparkprof::Sampler::Settings settings;
  settings.ring_path = ring_path;
  settings.version_hex = version_hex;
  settings.interval_ns = interval_ns;
  settings.process_start_ticks = process_start_ticks;
  settings.is_program = is_program;
  const auto made = sparkprof::Sampler::Create(settings);
  if (!made) {
    std::snprintf(reason, static_cast<size_t>(reason_size), "%s", made.error().message.c_str());
    return -1;
  }
  if (wants_native) {
    const auto native = (*made)->AddNative();
    if (!native) (*made)->AddNotice(1, ("no native frames: " + native.error().message).c_str());
  }
  if (!(*made)->Start()) {
    std::snprintf(reason, static_cast<size_t>(reason_size), "cannot create a thread");
    return -1;
  }
  sampler = *made;
  return 0;
}

// Samples allocations of this process, too: one in `interval_bytes` on average, for at most `budget_ns` per second;
// of small objects with `small`. Call with the GIL, as the next two.
SPARKPROF_API void sparkprof_allocations(long long interval_bytes, long long budget_ns, int small) {
  if (sampler == nullptr) return;
  const auto added = sampler->AddAllocations(interval_bytes, budget_ns, small != 0);
  if (!added) sampler->AddNotice(1, ("allocations are not sampled: " + added.error().message).c_str());
}
SPARKPROF_API void sparkprof_keep_allocations() { sparkprof::KeepAllocatorsHooked(); }
// `table`: the content of NumPy's _ARRAY_API.
SPARKPROF_API void sparkprof_numpy_allocations(void* const* table) { sparkprof::HookNumpy(table); }

// `bytes`: the counter of Arrow's memory pool `pool`.
SPARKPROF_API void sparkprof_arrow(int64_t (*bytes)(const void* pool), const void* pool) {
  if (sampler != nullptr) sampler->FollowArrow(bytes, pool);
}

// Call before a fork: the thread must not exist then.
SPARKPROF_API void sparkprof_stop() {
  if (sampler != nullptr) sampler->Stop();
}
SPARKPROF_API void sparkprof_continue() {
  if (sampler != nullptr) sampler->Start();
}

// `task` is the TID; -1 = no current task.
SPARKPROF_API void sparkprof_task(long long task, int stage, int partition, int attempt, long long sql_execution) {
  if (sampler == nullptr) return;
  sparkprof::Sampler::Task next;
  next.task = task;
  next.stage = stage;
  next.partition = partition;
  next.attempt = attempt;
  next.sql_execution = sql_execution;
  sampler->SetTask(next);
}

// Texts are UTF-8.
SPARKPROF_API void sparkprof_udf(int eval_type, const char* function, const char* file, unsigned first_line) {
  if (sampler != nullptr) sampler->AddUdf(eval_type, function, file, first_line);
}

SPARKPROF_API void sparkprof_notice(int level, const char* text) {
  if (sampler != nullptr) sampler->AddNotice(static_cast<unsigned short>(level), text);
}

// Sampling for the profiler classes (collector.h), in addition to the sampler above or alone.

// Starts a function; with `forget`, a forked child drops its parent's collector. Returns 0, or -1 with the reason.
SPARKPROF_API int sparkprof_collect_enter(unsigned version_hex, long long interval_ns, int stacks, int points,
                                          char* reason, int reason_size) {
  if (collector == nullptr) {
    const auto made = sparkprof::Collector::Create(version_hex);
    if (!made) {
      std::snprintf(reason, static_cast<size_t>(reason_size), "%s", made.error().message.c_str());
      return -1;
    }
    collector = *made;
  }
  if (collector->Enter(interval_ns < 1'000'000 ? 1'000'000 : interval_ns, stacks != 0, points != 0)) return 0;
  std::snprintf(reason, static_cast<size_t>(reason_size), "cannot create a thread");
  return -1;
}

// Ends the function. Returns the number of stacks to fetch before the next enter. `end` stops the thread immediately.
SPARKPROF_API long long sparkprof_collect_leave(int end) {
  if (collector == nullptr) return 0;
  const size_t count = collector->Leave();
  if (end != 0) collector->End();
  return static_cast<long long>(count);
}

// The stack at `index`: "file:function:line" and a NUL byte per frame, leaf first. Writes at most `size` bytes and
// returns the complete length; -1 if there is none. `count`: number of samples.
SPARKPROF_API long long sparkprof_collect_stack(long long index, char* buffer, long long size, long long* count) {
  if (collector == nullptr || index < 0 || static_cast<size_t>(index) >= collector->stacks().Stacks()) return -1;
  *count = static_cast<long long>(collector->stacks().Count(static_cast<size_t>(index)));
  return static_cast<long long>(
      collector->stacks().Text(static_cast<size_t>(index), buffer, static_cast<size_t>(size)));
}

// Number of samples whose stacks did not fit.
SPARKPROF_API long long sparkprof_collect_others() {
  return collector == nullptr ? 0 : static_cast<long long>(collector->stacks().Others());
}

// The points in order of time; sets their number in `count`.
SPARKPROF_API const sparkprof::Collector::Point* sparkprof_collect_points(long long* count) {
  *count = collector == nullptr ? 0 : static_cast<long long>(collector->point_count());
  return collector == nullptr ? nullptr : collector->points();
}

// Call after fetching the results.
SPARKPROF_API void sparkprof_collect_clear() {
  if (collector != nullptr) collector->Clear();
}

// Call around a fork: the thread must not exist then; it does not exist in the child.
SPARKPROF_API void sparkprof_collect_suspend() {
  if (collector != nullptr) collector->Suspend();
}
SPARKPROF_API void sparkprof_collect_continue() {
  if (collector != nullptr) collector->Continue();
}
SPARKPROF_API void sparkprof_collect_forget() { collector = nullptr; }
