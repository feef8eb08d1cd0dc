// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>

#include "base/text/text.h"
#include "base/time.h"
#include "formats/records/record_kinds.h"

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

// A number of CpuAndMemory or ThreadInfo, RecordKey::kFirstJvmMetric to kLastJvmMetric.
RecordMetric UberMetric(RecordKey key) {
  const KnownMetric& known = kJvmMetrics[static_cast<size_t>(key) - static_cast<size_t>(RecordKey::kFirstJvmMetric)];
  return {.name = known.name,
          .unit = known.unit,
          .kind = known.kind,
          .series = known.series,
          .is_standard = known.is_standard};
}

// A number in a list: "memoryPools-G1EdenSpace-usageUsed", as the profiler's own flattening reporters call it.
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

// "duration.sum" of a method, "arg.1.400": how often it was called with that argument.
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

// The four collector metrics of Phil's Stopwatch.
enum class CollectorMetric : uint8_t { kYoungTime, kYoungCount, kOldTime, kOldCount };

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

// Young collectors, and pauses of collectors without generations, are Phil's Scavenge; old collectors and concurrent
// cycles are MarkSweep.
bool IsYoungCollector(std::string_view collector) {
  return !HasAnyOf(collector, {"MarkSweep", "Old", "Tenured", "Major", "Cycles", "Concurrent", "global"});
}

// SeriesKey::family.
constexpr uint8_t kUberNumbers = 0;
constexpr uint8_t kListValues = 1;
constexpr uint8_t kCollectors = 2;
constexpr uint8_t kMethods = 3;

Frame JvmFrame(std::string_view text, StringTable* strings) { return {.name = strings->Intern(text)}; }

bool HasAnyNumber(const RecordJson& record, RecordKey first, RecordKey last) {
  for (auto key = static_cast<size_t>(first); key <= static_cast<size_t>(last); ++key) {
    if (record.Has(static_cast<RecordKey>(key))) return true;
  }
  return false;
}

// Numbers for which the profiler writes -1 if unknown.
bool IsUndefined(RecordKey key, double value) {
  return value < 0 && (key == RecordKey::kHeapMax || key == RecordKey::kNonHeapMax);
}

void SetOnce(std::string_view text, std::string* kept) {
  if (kept->empty()) kept->assign(text);
}

}  // namespace

UberRecords::UberRecords(RecordBuilder* builder) : builder_(builder), stack_texts_(JvmFrame) {}

bool UberRecords::Add(const RecordJson& record) {
  if (record.Has(RecordKey::kStacktrace)) return AddStack(record);
  const std::optional<int64_t> epoch_ms = record.Integer(RecordKey::kEpochMillis);
  if (!epoch_ms) return false;
  if (record.Has(RecordKey::kMetricName)) return AddMethod(record, *epoch_ms);
  if (record.Has(RecordKey::kCmdline) || record.Has(RecordKey::kJvmClassPath)) return AddProcessInfo(record);
  RecordKind kind = RecordKind::kCpuAndMemory;
  if (record.Has(RecordKey::kSelf) || record.Has(RecordKey::kStat)) {
    kind = RecordKind::kIo;
  } else if (HasAnyNumber(record, RecordKey::kTotalStartedThreads, RecordKey::kPeakThreads)) {
    kind = RecordKind::kThreadInfo;
  } else if (!HasAnyNumber(record, RecordKey::kProcessCpuLoad, RecordKey::kVmPeak)) {
    return false;
  }
  builder_->CountRecord(kind);
  if (!builder_->options().series) return true;
  const uint32_t process = ProcessOf(record);
  builder_->SeenAt(process, *epoch_ms);
  AddNumbers(record, process, *epoch_ms);
  AddListValues(record, process, *epoch_ms);
  AddCollectors(record, process, *epoch_ms);
  return true;
}

uint32_t UberRecords::ProcessOf(const RecordJson& record) {
  std::string_view name = record.Text(RecordKey::kName);
  if (name.empty()) name = record.Text(RecordKey::kProcessName);
  const std::string_view uuid = record.Text(RecordKey::kProcessUuid);
  const uint32_t row = builder_->Process(RecordProfiler::kJvm, uuid.empty() ? name : uuid);
  RecordProcess& process = builder_->At(row);
  if (process.name.empty()) {
    process.name = name;
    process.pid = ParseInteger(name.substr(0, name.find('@'))).value_or(0);
    SetOnce(record.Text(RecordKey::kHost), &process.host);
    SetOnce(record.Text(RecordKey::kTag), &process.tag);
    SetOnce(record.Text(RecordKey::kCluster), &process.cluster);
  }
  // Unknown when the JVM starts.
  SetOnce(record.Text(RecordKey::kAppId), &process.application_id);
  SetOnce(record.Text(RecordKey::kRole), &process.role);
  return row;
}

bool UberRecords::AddStack(const RecordJson& record) {
  const std::optional<int64_t> count = record.Integer(RecordKey::kCount);
  if (!count || *count < 0) return false;
  if (!builder_->options().stacks) {
    builder_->CountRecord(RecordKind::kStacktrace);
    return true;
  }
  ProfilerRecords& records = builder_->records();
  const std::optional<StackId> stack = stack_texts_.Read(record.Stacktrace(), &records);
  if (!stack) return false;
  builder_->CountRecord(RecordKind::kStacktrace);
  RecordStack row{.process = ProcessOf(record), .stack = *stack, .count = *count};
  if (builder_->options().stack_windows) {
    row.thread = records.strings.Intern(record.Text(RecordKey::kThreadName));
    row.state = records.strings.Intern(record.Text(RecordKey::kThreadState));
    row.start_ms = record.Integer(RecordKey::kStartEpoch).value_or(0);
    row.end_ms = record.Integer(RecordKey::kEndEpoch).value_or(row.start_ms);
    if (row.start_ms != 0) builder_->SeenAt(row.process, row.start_ms);
    if (row.end_ms != 0) builder_->SeenAt(row.process, row.end_ms);
  }
  builder_->AddStack(row);
  return true;
}

bool UberRecords::AddProcessInfo(const RecordJson& record) {
  builder_->CountRecord(RecordKind::kProcessInfo);
  const uint32_t row = ProcessOf(record);
  builder_->SeenAt(row, record.Integer(RecordKey::kEpochMillis).value_or(0));
  RecordProcess& process = builder_->At(row);
  // Long texts are split into several records, in order.
  process.command_line += record.Text(RecordKey::kCmdline);
  process.jvm_arguments += record.Text(RecordKey::kJvmInputArguments);
  process.class_path += record.Text(RecordKey::kJvmClassPath);
  SetOnce(record.Text(RecordKey::kAgentVersion), &process.agent_version);
  process.xmx_bytes = record.Integer(RecordKey::kXmxBytes).value_or(process.xmx_bytes);
  return true;
}

bool UberRecords::AddMethod(const RecordJson& record, int64_t epoch_ms) {
  const std::string_view metric = record.Text(RecordKey::kMetricName);
  const std::optional<double> value = record.Number(RecordKey::kMetricValue);
  if (!value || !record.Has(RecordKey::kMethodName)) return false;
  builder_->CountRecord(metric.starts_with("arg.") ? RecordKind::kMethodArgument : RecordKind::kMethodDuration);
  if (!builder_->options().series) return true;
  const uint32_t process = ProcessOf(record);
  builder_->SeenAt(process, epoch_ms);
  std::string method(record.Text(RecordKey::kClassName));
  method.append(".").append(record.Text(RecordKey::kMethodName));
  builder_->AddPoint(process, {kMethods, 0, method, metric}, epoch_ms, *value,
                     [&] { return UberMethodMetric(method, metric); });
  return true;
}

void UberRecords::AddNumbers(const RecordJson& record, uint32_t process, int64_t epoch_ms) {
  for (auto i = static_cast<uint8_t>(RecordKey::kFirstJvmMetric); i <= static_cast<uint8_t>(RecordKey::kLastJvmMetric);
       ++i) {
    const auto key = static_cast<RecordKey>(i);
    const std::optional<double> value = record.Number(key);
    if (!value || IsUndefined(key, *value)) continue;
    builder_->AddPoint(process, {kUberNumbers, i, {}, {}}, epoch_ms, *value, [&] { return UberMetric(key); });
  }
}

void UberRecords::AddListValues(const RecordJson& record, uint32_t process, int64_t epoch_ms) {
  for (const RecordListValue& value : record.ListValues()) {
    if (value.list != RecordKey::kGc && value.value < 0) continue;  // a pool without a limit
    const SeriesKey key{kListValues, static_cast<uint8_t>(value.list), value.item, value.field};
    builder_->AddPoint(process, key, epoch_ms, value.value, [&] { return UberListMetric(value); });
  }
}

void UberRecords::AddCollectors(const RecordJson& record, uint32_t process, int64_t epoch_ms) {
  std::array<std::optional<double>, 4> sums;  // by CollectorMetric
  for (const RecordListValue& value : record.ListValues()) {
    if (value.list != RecordKey::kGc) continue;
    const bool is_time = value.field == "collectionTime";
    if (!is_time && value.field != "collectionCount") continue;
    const CollectorMetric metric = IsYoungCollector(value.item)
                                       ? (is_time ? CollectorMetric::kYoungTime : CollectorMetric::kYoungCount)
                                       : (is_time ? CollectorMetric::kOldTime : CollectorMetric::kOldCount);
    std::optional<double>& sum = sums[static_cast<size_t>(metric)];
    sum = sum.value_or(0) + value.value;
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    if (!sums[i]) continue;
    builder_->AddPoint(process, {kCollectors, static_cast<uint8_t>(i), {}, {}}, epoch_ms, *sums[i],
                       [&] { return UberCollectorMetric(static_cast<CollectorMetric>(i)); });
  }
}

}  // namespace sparkprof
