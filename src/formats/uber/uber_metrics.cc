// SPDX-License-Identifier: Apache-2.0
#include "formats/uber/uber_metrics.h"

#include <iterator>
#include <string>

#include "base/time.h"

namespace sparkprof {
namespace {

constexpr SeriesKind kGauge = SeriesKind::kGauge;
constexpr SeriesKind kCounter = SeriesKind::kCounter;

struct KnownMetric {
  const char* name;
  RecordUnit unit;
  SeriesKind kind;
  const char* series;
  bool is_standard;
};

// By RecordKey, from kFirstJvmMetric on.
constexpr KnownMetric kJvmMetrics[] = {
    {"processCpuLoad", RecordUnit::kNone, kGauge, "jvm.cpu_load", true},
    {"systemCpuLoad", RecordUnit::kNone, kGauge, "host.cpu_load", true},
    {"processCpuTime", RecordUnit::kNanos, kCounter, "process.cpu_ns", false},
    {"heapMemoryTotalUsed", RecordUnit::kBytes, kGauge, "jvm.heap_used_bytes", true},
    {"heapMemoryCommitted", RecordUnit::kBytes, kGauge, "jvm.heap_committed_bytes", true},
    {"heapMemoryMax", RecordUnit::kBytes, kGauge, "jvm.heap_max_bytes", false},
    {"nonHeapMemoryTotalUsed", RecordUnit::kBytes, kGauge, "jvm.non_heap_used_bytes", true},
    {"nonHeapMemoryCommitted", RecordUnit::kBytes, kGauge, "jvm.non_heap_committed_bytes", true},
    {"nonHeapMemoryMax", RecordUnit::kBytes, kGauge, "jvm.non_heap_max_bytes", false},
    {"vmRSS", RecordUnit::kBytes, kGauge, "process.rss_bytes", false},
    {"vmHWM", RecordUnit::kBytes, kGauge, "process.rss_peak_bytes", false},
    {"vmSize", RecordUnit::kBytes, kGauge, "process.virtual_bytes", false},
    {"vmPeak", RecordUnit::kBytes, kGauge, "process.virtual_peak_bytes", false},
    {"totalStartedThreadCount", RecordUnit::kNone, kCounter, "jvm.threads_started", true},
    {"newThreadCount", RecordUnit::kNone, kGauge, "jvm.threads_new", true},
    {"liveThreadCount", RecordUnit::kNone, kGauge, "jvm.threads_live", true},
    {"peakThreadCount", RecordUnit::kNone, kGauge, "jvm.threads_peak", true},
};
static_assert(std::size(kJvmMetrics) ==
              static_cast<size_t>(RecordKey::kLastJvmMetric) - static_cast<size_t>(RecordKey::kFirstJvmMetric) + 1);

bool HasAnyOf(std::string_view text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) {
    if (text.find(part) != std::string_view::npos) return true;
  }
  return false;
}

std::string WithoutSpaces(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ') result += c;
  }
  return result;
}

RecordMetric PoolMetric(const RecordListValue& value, const std::string& pool, const std::string& group) {
  RecordMetric metric;
  metric.is_standard = false;
  metric.unit = value.field == "count" ? RecordUnit::kNone : RecordUnit::kBytes;
  metric.series = group + pool + "." + std::string(value.field) + (metric.unit == RecordUnit::kBytes ? "_bytes" : "");
  return metric;
}

RecordMetric IoMetric(std::string_view field) {
  RecordMetric metric{.unit = RecordUnit::kBytes, .kind = kCounter};
  metric.series = "process." + std::string(field) + (field.ends_with("_bytes") ? "" : "_bytes");
  return metric;
}

}  // namespace

RecordMetric UberMetric(RecordKey key) {
  const KnownMetric& known = kJvmMetrics[static_cast<size_t>(key) - static_cast<size_t>(RecordKey::kFirstJvmMetric)];
  return {.name = known.name,
          .unit = known.unit,
          .kind = known.kind,
          .series = known.series,
          .is_standard = known.is_standard};
}

RecordMetric UberListMetric(const RecordListValue& value) {
  const std::string item = WithoutSpaces(value.item);
  const std::string field(value.field);
  RecordMetric metric;
  switch (value.list) {
    case RecordKey::kGc:
      metric.kind = kCounter;
      metric.is_standard = value.item != "PS Scavenge" && value.item != "PS MarkSweep";
      metric.name = "gc-" + item + "-" + field;
      if (value.field == "collectionTime") {
        metric.unit = RecordUnit::kMillis;
        metric.series_scale = kNanosPerMilli;
        metric.series = "jvm.gc." + item + ".time_ns";
      } else {
        metric.series = "jvm.gc." + item + ".count";
      }
      break;
    case RecordKey::kMemoryPools:
      metric = PoolMetric(value, item, "jvm.pool.");
      metric.name = "memoryPools-" + item + "-" + field;
      break;
    case RecordKey::kBufferPools:
      metric = PoolMetric(value, item, "jvm.buffers.");
      metric.name = "bufferPools-" + item + "-" + field;
      break;
    case RecordKey::kSelf:
      metric = IoMetric(value.field);
      metric.name = "self-io-" + field;
      break;
    default:
      metric.kind = kCounter;
      metric.name = "stat-" + item + "-" + field;
      metric.series = "host." + item + "." + field + "_ticks";
      metric.is_standard = value.item == "cpu";
      break;
  }
  return metric;
}

RecordMetric UberMethodMetric(std::string_view method, std::string_view metric) {
  RecordMetric result;
  result.name = std::string(method) + "." + std::string(metric);
  result.series = "jvm.method." + result.name;
  if (metric.starts_with("duration.") && metric != "duration.count") {
    result.unit = RecordUnit::kMillis;
    result.series += "_ns";
    result.series_scale = kNanosPerMilli;
  }
  return result;
}

RecordMetric UberCollectorMetric(CollectorMetric metric) {
  switch (metric) {
    case CollectorMetric::kYoungTime:
      return {"ScavengeCollTime", RecordUnit::kMillis, kCounter, "jvm.gc_young_time_ns", kNanosPerMilli};
    case CollectorMetric::kYoungCount:
      return {"ScavengeCollCount", RecordUnit::kNone, kCounter, "jvm.gc_young_count"};
    case CollectorMetric::kOldTime:
      return {"MarkSweepCollTime", RecordUnit::kMillis, kCounter, "jvm.gc_old_time_ns", kNanosPerMilli};
    case CollectorMetric::kOldCount:
      break;
  }
  return {"MarkSweepCollCount", RecordUnit::kNone, kCounter, "jvm.gc_old_count"};
}

bool IsYoungCollector(std::string_view collector) {
  return !HasAnyOf(collector, {"MarkSweep", "Old", "Tenured", "Major", "Cycles", "Concurrent", "global"});
}

}  // namespace sparkprof
