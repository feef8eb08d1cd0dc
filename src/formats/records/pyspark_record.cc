// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>

#include "base/text/text.h"
#include "formats/records/record_kinds.h"

namespace sparkprof {
namespace {

constexpr std::string_view kStackBegin = R"({"stacktrace":[")";
constexpr std::string_view kStackEnd = R"("],"count":)";
constexpr std::string_view kRddBegin = R"(,"i_d":")";
constexpr std::string_view kRddEnd = R"("})";
constexpr std::string_view kBetweenFrames = R"(",")";

// SeriesKey::family, distinct from those of Uber's records because processes are distinct.
constexpr uint8_t kPysparkNumbers = 0;
constexpr uint8_t kOtherNumbers = 1;

// "file:function:line"; what is not that exactly is a name, so that it can be written again as it was.
Frame PythonFrame(std::string_view text, StringTable* strings) {
  const size_t line_colon = text.rfind(':');
  if (line_colon != std::string_view::npos && line_colon > 0) {
    const size_t function_colon = text.rfind(':', line_colon - 1);
    const std::string_view digits = text.substr(line_colon + 1);
    const std::optional<int64_t> line = ParseInteger(digits);
    if (function_colon != std::string_view::npos && function_colon > 0 && line && *line > 0 && *line <= INT32_MAX &&
        digits == std::to_string(*line)) {
      return {.name = strings->Intern(text.substr(function_colon + 1, line_colon - function_colon - 1)),
              .file = strings->Intern(text.substr(0, function_colon)),
              .line = static_cast<uint32_t>(*line),
              .kind = FrameKind::kPython};
    }
  }
  return {.name = strings->Intern(text), .kind = FrameKind::kPython};
}

struct UnquotedStack {
  std::string_view frames;  // leaf","…","root
  std::string_view count;
  std::string_view rdd;
};

std::optional<UnquotedStack> SplitShown(std::string_view line) {
  const std::vector<std::string_view> parts = Split(line, '\t');
  if (parts.size() != 3 || parts[0].size() < 2 || !parts[0].ends_with('"')) return std::nullopt;
  return UnquotedStack{parts[0].substr(1, parts[0].size() - 2), parts[1], Trim(parts[2])};
}

std::optional<UnquotedStack> SplitUnescaped(std::string_view line) {
  const size_t end = line.rfind(kStackEnd);
  if (!line.starts_with(kStackBegin) || end == std::string_view::npos || end < kStackBegin.size()) return std::nullopt;
  const std::string_view rest = line.substr(end + kStackEnd.size());
  const size_t rdd = rest.find(kRddBegin);
  if (rdd == std::string_view::npos || !rest.ends_with(kRddEnd)) return std::nullopt;
  const size_t rdd_begin = rdd + kRddBegin.size();
  if (rest.size() < rdd_begin + kRddEnd.size()) return std::nullopt;
  return UnquotedStack{line.substr(kStackBegin.size(), end - kStackBegin.size()), Trim(rest.substr(0, rdd)),
                       rest.substr(rdd_begin, rest.size() - rdd_begin - kRddEnd.size())};
}

std::vector<std::string_view> SplitFrames(std::string_view frames) {
  std::vector<std::string_view> parts;
  for (size_t end = 0; (end = frames.find(kBetweenFrames)) != std::string_view::npos;) {
    parts.push_back(frames.substr(0, end));
    frames.remove_prefix(end + kBetweenFrames.size());
  }
  parts.push_back(frames);
  return parts;
}

RecordMetric CpuMemoryMetric(RecordKey key) {
  switch (key) {
    case RecordKey::kRss:
      return {.name = "pmem_rss", .unit = RecordUnit::kBytes, .series = "process.rss_bytes"};
    case RecordKey::kVms:
      return {.name = "pmem_vms", .unit = RecordUnit::kBytes, .series = "process.virtual_bytes"};
    default:
      return {.name = "cpu_percent", .series = "process.cpu_percent"};
  }
}

// psutil's other memory figures are bytes, but for the page faults.
RecordMetric OtherMetric(std::string_view name) {
  RecordMetric metric{.name = std::string(name), .is_standard = false};
  if (name.ends_with("faults")) {
    metric.kind = SeriesKind::kCounter;
  } else if (name.starts_with("pmem_")) {
    metric.unit = RecordUnit::kBytes;
  }
  name.remove_prefix(name.starts_with("pmem_") ? 5 : 0);
  metric.series = "process." + std::string(name) + (metric.unit == RecordUnit::kBytes ? "_bytes" : "");
  return metric;
}

}  // namespace

PySparkRecords::PySparkRecords(RecordBuilder* builder) : builder_(builder), stack_texts_(PythonFrame) {}

bool PySparkRecords::Add(const RecordJson& record) {
  if (!record.Has(RecordKey::kStacktrace)) return AddCpuMemory(record);
  const std::optional<int64_t> count = record.Integer(RecordKey::kCount);
  if (!count || *count < 0) return false;
  const std::optional<StackId> stack = stack_texts_.Read(record.Stacktrace(), &builder_->records());
  return stack && AddStack(*stack, *count, record.Text(RecordKey::kRddId),
                           std::max(0.0, record.Number(RecordKey::kIntervalMillis).value_or(0)));
}

bool PySparkRecords::AddStack(StackId stack, int64_t count, std::string_view rdd, double interval_ms) {
  builder_->CountRecord(RecordKind::kPySparkStack);
  if (!builder_->options().stacks) return true;
  // The records do not identify the worker.
  builder_->AddStack({.process = builder_->Process(RecordProfiler::kPySpark, ""),
                      .rdd = builder_->records().strings.Intern(rdd),
                      .stack = stack,
                      .count = count,
                      .interval_ms = interval_ms});
  return true;
}

bool PySparkRecords::AddCpuMemory(const RecordJson& record) {
  const std::optional<int64_t> pid = record.Integer(RecordKey::kPid);
  const std::optional<int64_t> epoch_ms = record.Integer(RecordKey::kEpochMillis);
  constexpr RecordKey kKeys[] = {RecordKey::kRss, RecordKey::kVms, RecordKey::kCpuPercent};
  if (!pid || !epoch_ms ||
      !std::any_of(std::begin(kKeys), std::end(kKeys), [&](RecordKey key) { return record.Has(key); })) {
    return false;
  }
  builder_->CountRecord(RecordKind::kPySparkCpuMemory);
  if (!builder_->options().series) return true;
  const std::string key = std::to_string(*pid);
  const uint32_t process = builder_->Process(RecordProfiler::kPySpark, key);
  builder_->At(process).name = key;
  builder_->At(process).pid = *pid;
  builder_->SeenAt(process, *epoch_ms);
  for (const RecordKey metric : kKeys) {
    const std::optional<double> value = record.Number(metric);
    if (!value) continue;
    builder_->AddPoint(process, {kPysparkNumbers, static_cast<uint8_t>(metric), {}, {}}, *epoch_ms, *value,
                       [&] { return CpuMemoryMetric(metric); });
  }
  for (const auto& other : record.OtherNumbers()) {
    builder_->AddPoint(process, {kOtherNumbers, 0, other.first, {}}, *epoch_ms, other.second,
                       [&] { return OtherMetric(other.first); });
  }
  return true;
}

bool PySparkRecords::LooksUnquoted(std::string_view line) {
  return (line.starts_with('"') && line.find("\"\t") != std::string_view::npos) || line.starts_with(kStackBegin);
}

bool PySparkRecords::AddUnquoted(std::string_view line) {
  const std::optional<UnquotedStack> split = line.starts_with('"') ? SplitShown(line) : SplitUnescaped(line);
  if (!split) return false;
  const std::optional<int64_t> count = ParseInteger(split->count);
  if (!count || *count < 0) return false;
  std::vector<std::string_view> frames = SplitFrames(split->frames);
  std::reverse(frames.begin(), frames.end());
  return AddStack(AddStackOfTexts(frames, PythonFrame, &builder_->records()), *count, split->rdd, 0);
}

}  // namespace sparkprof
