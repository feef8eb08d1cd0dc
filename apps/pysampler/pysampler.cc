// SPDX-License-Identifier: Apache-2.0
// What python/sparkprof calls by ctypes. All of it is called by Python threads that hold the GIL or not, one at a time.

#include <cstdio>
#include <cstring>
#include <string>

#include "sampler.h"

namespace {

sparkprof::Sampler* sampler = nullptr;

}  // namespace

#define SPARKPROF_API extern "C" __attribute__((visibility("default")))

// Makes the ring file and starts to sample this process; a forked child forgets its parent's sampler. Returns 0, or -1
// with the reason in `reason`.
SPARKPROF_API int sparkprof_start(const char* ring_path, unsigned version_hex, long long interval_ns,
                                  long long process_start_ticks, char* reason, int reason_size) {
  sampler = nullptr;
  sparkprof::Sampler::Settings settings;
  settings.ring_path = ring_path;
  settings.version_hex = version_hex;
  settings.interval_ns = interval_ns < 100'000 ? 100'000 : interval_ns;
  settings.process_start_ticks = process_start_ticks;
  const auto made = sparkprof::Sampler::Create(settings);
  if (!made) {
    std::snprintf(reason, static_cast<size_t>(reason_size), "%s", made.error().message.c_str());
    return -1;
  }
  if (!(*made)->Start()) {
    std::snprintf(reason, static_cast<size_t>(reason_size), "the system gives no thread");
    return -1;
  }
  sampler = *made;
  return 0;
}

// Around a fork: the thread must not be there then.
SPARKPROF_API void sparkprof_stop() {
  if (sampler != nullptr) sampler->Stop();
}
SPARKPROF_API void sparkprof_continue() {
  if (sampler != nullptr) sampler->Start();
}

// `task` is the TID, -1 = none from now on.
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
