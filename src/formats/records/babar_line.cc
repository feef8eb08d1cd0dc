// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "formats/records/record_kinds.h"
#include "formats/records/stack_texts.h"

namespace sparkprof {
namespace {

constexpr std::string_view kPrefix = "BABAR\t";
constexpr std::string_view kTraces = "CPU_TRACES";

// "class.method:line"; native methods have line -2, which stays in the name.
Frame TraceFrame(std::string_view text, StringTable* strings) {
  const size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && colon > 0) {
    const std::string_view digits = text.substr(colon + 1);
    const std::optional<int64_t> line = ParseInteger(digits);
    if (line && *line > 0 && *line <= INT32_MAX && digits == std::to_string(*line)) {
      return {.name = strings->Intern(text.substr(0, colon)), .line = static_cast<uint32_t>(*line)};
    }
  }
  return {.name = strings->Intern(text)};
}

bool IsFrame(std::string_view text) {
  const size_t colon = text.rfind(':');
  return colon != std::string_view::npos && colon > 0 && ParseInteger(text.substr(colon + 1)).has_value();
}

struct Trace {
  std::string thread;
  std::vector<std::string_view> root_first;
};

// A thread's name may contain the separator: frames start where all further parts look like frames.
Trace SplitTrace(std::string_view label) {
  std::vector<std::string_view> parts = Split(label, '|');
  size_t first = parts.size();
  while (first > 1 && IsFrame(parts[first - 1])) --first;
  Trace trace;
  for (size_t i = 0; i < first; ++i) {
    if (i > 0) trace.thread += '|';
    trace.thread += parts[i];
  }
  trace.root_first.assign(parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end());
  return trace;
}

std::optional<double> ParseBabarNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct KnownSeries {
  std::string_view metric;
  std::string_view series;
};

// The metrics that mean what a series of docs/series.md means.
constexpr KnownSeries kSeries[] = {
    {"JVM_HEAP_MEMORY_USED_BYTES", "jvm.heap_used_bytes"},
    {"JVM_HEAP_MEMORY_COMMITTED_BYTES", "jvm.heap_committed_bytes"},
    {"JVM_OFF_HEAP_MEMORY_USED_BYTES", "jvm.non_heap_used_bytes"},
    {"JVM_OFF_HEAP_MEMORY_COMMITTED_BYTES", "jvm.non_heap_committed_bytes"},
    {"JVM_CPU_USAGE", "jvm.cpu_load"},
    {"JVM_HOST_CPU_USAGE", "host.cpu_load"},
    {"PROC_TREE_RSS_MEMORY_BYTES", "process.rss_bytes"},
    {"PROC_TREE_VIRTUAL_MEMORY_BYTES", "process.virtual_bytes"},
};

RecordMetric BabarMetric(std::string_view name) {
  RecordMetric metric{.name = std::string(name)};
  if (name.ends_with("_BYTES") || name == "PROC_TREE_RCHAR" || name == "PROC_TREE_WCHAR") {
    metric.unit = RecordUnit::kBytes;
  } else if (name.ends_with("_CPU_TIME")) {
    metric.unit = RecordUnit::kMillis;
  }
  for (const KnownSeries& known : kSeries) {
    if (known.metric == name) metric.series = known.series;
  }
  if (metric.series.empty()) {
    metric.series = "babar.";
    for (const char c : name) metric.series += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return metric;
}

}  // namespace

size_t BabarLines::Find(std::string_view line) {
  const size_t begin = line.find(kPrefix);
  return begin == 0 || (begin != std::string_view::npos && line[begin - 1] == ' ') ? begin : std::string_view::npos;
}

bool BabarLines::Add(std::string_view line) {
  const std::vector<std::string_view> parts = Split(line, '\t');
  if (parts.size() < 5 || parts[1].empty() || parts[2].empty()) return false;
  const std::optional<int64_t> epoch_ms = ParseInteger(parts[3]);
  const std::optional<double> value = ParseBabarNumber(parts[4]);
  const bool is_trace = parts[2] == kTraces;
  if (!epoch_ms || !value || (is_trace && (parts.size() < 6 || !(*value >= 0 && *value < 9e18)))) return false;
  builder_->CountRecord(is_trace ? RecordKind::kBabarTrace : RecordKind::kBabarMetric);
  if (is_trace ? !builder_->options().stacks : !builder_->options().series) return true;
  const uint32_t process = builder_->Process(RecordProfiler::kBabar, parts[1]);
  RecordProcess& container = builder_->At(process);
  if (container.name.empty()) {
    container.name = parts[1];
    container.host = parts[1].substr(0, parts[1].rfind('_'));
  }
  builder_->SeenAt(process, *epoch_ms);
  if (!is_trace) {
    builder_->AddPoint(process, {0, 0, parts[2], {}}, *epoch_ms, *value, [&] { return BabarMetric(parts[2]); });
    return true;
  }
  const Trace trace = SplitTrace(parts[5]);
  ProfilerRecords& records = builder_->records();
  builder_->AddStack({.process = process,
                      .thread = records.strings.Intern(trace.thread),
                      .stack = AddStackOfTexts(trace.root_first, TraceFrame, &records),
                      .start_ms = *epoch_ms,
                      .end_ms = *epoch_ms,
                      .count = std::llround(*value)});
  return true;
}

}  // namespace sparkprof
