// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include "capture/hsperfdata.h"

namespace sparkprof {
namespace {

using Value = std::optional<int64_t>;

Value Plus(Value a, Value b) {
  if (!a) return b;
  return *a + b.value_or(0);
}

struct Heap {
  Value used, committed, max;
};

Heap ReadHeap(const Hsperfdata& data) {
  // G1 reports the size of the complete heap as the limit of both generations.
  const bool shared_limit = data.Text("sun.gc.collector.0.name").starts_with("G1");
  Heap heap;
  for (int generation = 0; generation < 2; ++generation) {
    const std::string prefix = "sun.gc.generation." + std::to_string(generation) + ".";
    const Value capacity = data.Number(prefix + "capacity");
    const Value max_capacity = data.Number(prefix + "maxCapacity");
    if (!capacity) continue;
    heap.committed = Plus(heap.committed, capacity);
    heap.max = shared_limit ? max_capacity : Plus(heap.max, max_capacity);
    const int64_t spaces = data.Number(prefix + "spaces").value_or(1);
    for (int64_t space = 0; space < spaces && space < 16; ++space) {
      heap.used = Plus(heap.used, data.Number(prefix + "space." + std::to_string(space) + ".used"));
    }
  }
  return heap;
}

Value SumOverCollectors(const Hsperfdata& data, const std::string& counter) {
  Value sum;
  for (int collector = 0; collector < 8; ++collector) {
    sum = Plus(sum, data.Number("sun.gc.collector." + std::to_string(collector) + "." + counter));
  }
  return sum;
}

}  // namespace

std::vector<CounterReading> ReadJvmCounters(const Hsperfdata& data) {
  std::vector<CounterReading> readings;
  const auto add = [&](std::string_view name, SeriesKind kind, Value value, double factor = 1) {
    if (value) readings.push_back({name, kind, static_cast<double>(*value) * factor});
  };
  const int64_t frequency = data.Number("sun.os.hrt.frequency").value_or(0);
  const double nanos_per_tick = frequency > 0 ? 1e9 / static_cast<double>(frequency) : 1;

  const Heap heap = ReadHeap(data);
  add("jvm.heap_used_bytes", SeriesKind::kGauge, heap.used);
  add("jvm.heap_committed_bytes", SeriesKind::kGauge, heap.committed);
  add("jvm.heap_max_bytes", SeriesKind::kGauge, heap.max);
  add("jvm.metaspace_used_bytes", SeriesKind::kGauge, data.Number("sun.gc.metaspace.used"));
  add("jvm.metaspace_committed_bytes", SeriesKind::kGauge, data.Number("sun.gc.metaspace.capacity"));
  add("jvm.gc_time_ns", SeriesKind::kCounter, SumOverCollectors(data, "time"), nanos_per_tick);
  add("jvm.gc_count", SeriesKind::kCounter, SumOverCollectors(data, "invocations"));
  add("jvm.jit_time_ns", SeriesKind::kCounter, data.Number("java.ci.totalTime"), nanos_per_tick);
  Value loaded = Plus(data.Number("java.cls.loadedClasses"), data.Number("java.cls.sharedLoadedClasses"));
  const Value unloaded = Plus(data.Number("java.cls.unloadedClasses"), data.Number("java.cls.sharedUnloadedClasses"));
  if (loaded) loaded = *loaded - unloaded.value_or(0);
  add("jvm.classes_loaded", SeriesKind::kGauge, loaded);
  add("jvm.threads_live", SeriesKind::kGauge, data.Number("java.threads.live"));
  add("jvm.safepoint_time_ns", SeriesKind::kCounter, data.Number("sun.rt.safepointTime"), nanos_per_tick);
  add("jvm.safepoint_count", SeriesKind::kCounter, data.Number("sun.rt.safepoints"));
  return readings;
}

}  // namespace sparkprof
