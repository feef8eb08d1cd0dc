// SPDX-License-Identifier: Apache-2.0
#include "formats/uber/uber_record.h"

#include <array>
#include <optional>
#include <string>

#include "base/text.h"
#include "formats/uber/uber_metrics.h"

namespace sparkprof {
namespace {

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
