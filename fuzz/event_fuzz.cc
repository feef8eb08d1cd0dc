// SPDX-License-Identifier: Apache-2.0
// Any bytes as lines of an event log: nothing but the application may come of it, and its tables must fit together.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/io/byte_source.h"
#include "event_log/event_batch.h"
#include "event_log/event_reader.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

sparkprof::Application ReadBatches(std::string_view bytes) {
  sparkprof::Application application;
  sparkprof::EventReader reader(&application);
  sparkprof::LineReader lines(sparkprof::ViewSource(bytes), {.block_bytes = 4096});
  sparkprof::EventParser parser;
  sparkprof::EventBatch batch;
  for (lines.Next(&batch.Lines()); !batch.Lines().lines.empty(); lines.Next(&batch.Lines())) {
    batch.Decode(&parser);
    sparkprof::EventBatchPosition position;
    Require(reader.AddBatch(batch, &position));
  }
  reader.Finish();
  return application;
}

// Events read line by line and in batches.
void RequireSame(const sparkprof::Application& a, const sparkprof::Application& b) {
  Require(a.damaged_events == b.damaged_events && a.unknown_events == b.unknown_events);
  Require(a.tasks.stage == b.tasks.stage && a.tasks.outcome == b.tasks.outcome);
  Require(a.tasks.executor == b.tasks.executor && a.end_ns == b.end_ns);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sparkprof::Application application;
  sparkprof::EventReader reader(&application);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const bool is_one_log = reader.AddLines(bytes).empty();
  reader.Finish();
  const sparkprof::Tasks& tasks = application.tasks;
  for (size_t row = 0; row < tasks.Size(); ++row) {
    Require(tasks.stage[row] < static_cast<int32_t>(application.stages.size()));
    Require(tasks.executor[row] < static_cast<int32_t>(application.executors.size()));
    Require(tasks.Column(sparkprof::TaskMetric::kSchedulerDelay)[row] >= 0);
  }
  if (is_one_log) RequireSame(application, ReadBatches(bytes));
  return 0;
}
