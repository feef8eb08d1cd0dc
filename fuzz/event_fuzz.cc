// SPDX-License-Identifier: Apache-2.0
// Any bytes as lines of an event log: nothing but the application may come of it, and its tables must fit together.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "event_log/event_reader.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sparkprof::Application application;
  sparkprof::EventReader reader(&application);
  reader.AddLines(std::string_view(reinterpret_cast<const char*>(data), size));
  reader.Finish();
  const sparkprof::Tasks& tasks = application.tasks;
  for (size_t row = 0; row < tasks.Size(); ++row) {
    Require(tasks.stage[row] < static_cast<int32_t>(application.stages.size()));
    Require(tasks.executor[row] < static_cast<int32_t>(application.executors.size()));
    Require(tasks.Column(sparkprof::TaskMetric::kSchedulerDelay)[row] >= 0);
  }
  return 0;
}
