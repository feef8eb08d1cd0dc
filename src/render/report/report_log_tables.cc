// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "analysis/selection/log_selection.h"
#include "analysis/selection/time_range.h"
#include "base/text/text.h"
#include "base/time.h"
#include "render/report/answers_json.h"
#include "render/report/report_tables.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxTemplates = 1000;  // the most frequent ones, and those of errors
constexpr int64_t kBucketsOfTime = 200;
constexpr size_t kMaxErrors = 500;

// The page's templates by their rows in `logs`; -1 = omitted. Row 0, unknown templates, is always present.
std::vector<int32_t> ChooseTemplates(const LogRecords& logs, std::vector<uint32_t>* chosen) {
  std::vector<uint32_t> order(logs.templates.size());
  std::iota(order.begin(), order.end(), 0);
  const auto severe = [&](uint32_t row) {
    const auto& levels = logs.templates[row].levels;
    return levels[static_cast<size_t>(LogLevel::kError)] + levels[static_cast<size_t>(LogLevel::kFatal)] > 0;
  };
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::tuple(a != 0, !severe(a), -logs.templates[a].count) <
           std::tuple(b != 0, !severe(b), -logs.templates[b].count);
  });
  if (order.size() > kMaxTemplates) order.resize(kMaxTemplates);
  std::vector<int32_t> place(logs.templates.size(), -1);
  for (size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int32_t>(i);
  *chosen = std::move(order);
  return place;
}

int64_t Millis(int64_t epoch_ns) { return epoch_ns / kNanosPerMilli; }

void WriteTemplates(const LogRecords& logs, const std::vector<uint32_t>& chosen, JsonWriter* json) {
  json->Key("templates").BeginArray();
  for (const uint32_t row : chosen) {
    const LogTemplate& one = logs.templates[row];
    json->BeginObject()
        .Member("text", one.text)
        .Member("count", one.count)
        .Member("first", Millis(one.first_ns))
        .Member("last", Millis(one.last_ns))
        .Key("levels")
        .BeginObject();
    for (size_t level = 0; level < kLogLevelCount; ++level) {
      if (one.levels[level] > 0) json->Member(LogLevelName(static_cast<LogLevel>(level)), one.levels[level]);
    }
    json->EndObject().EndObject();
  }
  json->EndArray();
}

// Records that were kept when the logs were read.
void WriteTemplateTimes(const LogRecords& logs, const std::vector<int64_t>& times, const std::vector<int32_t>& place,
                        const TimeRange& range, ColumnArea* columns, JsonWriter* json) {
  const int64_t bucket_ns = std::max(kNanosPerSecond, range.Duration() / kBucketsOfTime);
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> counts;
  for (size_t row = 0; row < logs.Size(); ++row) {
    const int32_t its_template = place[logs.template_row[row]];
    if (its_template < 0 || times[row] < range.start_ns) continue;
    const int64_t bucket = (std::min(times[row], range.end_ns) - range.start_ns) / bucket_ns;
    ++counts[{static_cast<uint32_t>(its_template), static_cast<uint32_t>(bucket)}];
  }
  std::vector<uint32_t> templates, buckets, numbers;
  for (const auto& [key, count] : counts) {
    templates.push_back(key.first);
    buckets.push_back(key.second);
    numbers.push_back(count);
  }
  json->Key("templateTimes").BeginObject().Member("bucketMs", bucket_ns / kNanosPerMilli);
  columns->Add("template", templates, json);
  columns->Add("bucket", buckets, json);
  columns->Add("count", numbers, json);
  json->EndObject();
}

void WriteRecords(const LogRecords& logs, const std::vector<uint32_t>& rows, const std::vector<int64_t>& times,
                  const std::vector<int32_t>& place, const LogQuota& quota, const TimeRange& range, ColumnArea* columns,
                  JsonWriter* json) {
  std::vector<double> time;
  std::vector<uint8_t> level, text;
  std::vector<int32_t> executor;
  std::vector<uint32_t> source, line, its_template, end;
  for (const uint32_t row : rows) {
    time.push_back(times[row] == 0 ? 0 : static_cast<double>(times[row] - range.start_ns) / kNanosPerMilli);
    level.push_back(static_cast<uint8_t>(logs.level[row]));
    executor.push_back(logs.executor[row]);
    source.push_back(logs.source[row]);
    line.push_back(static_cast<uint32_t>(std::min<int64_t>(logs.line[row], UINT32_MAX)));
    its_template.push_back(static_cast<uint32_t>(std::max(0, place[logs.template_row[row]])));
    std::string_view whole = logs.Text(row);
    const bool cut = whole.size() > quota.bytes_of_record;
    const std::string shown = ToUtf8(whole.substr(0, quota.bytes_of_record)) + (cut ? "…" : "");
    text.insert(text.end(), shown.begin(), shown.end());
    end.push_back(static_cast<uint32_t>(text.size()));
  }
  json->Key("records").BeginObject();
  columns->Add("time", time, json);
  columns->Add("level", level, json);
  columns->Add("executor", executor, json);
  columns->Add("source", source, json);
  columns->Add("line", line, json);
  columns->Add("template", its_template, json);
  columns->Add("end", end, json);
  json->EndObject();
  columns->Add("text", text, json);
}

std::string DroppedText(const LogRecords& logs, size_t shown) {
  const int64_t all = static_cast<int64_t>(logs.Size()) + logs.dropped;
  if (static_cast<int64_t>(shown) == all) return {};
  return fmt::format(
      "{} of {} log records are shown: very frequent messages are thinned out evenly over time. Counts cover all "
      "of them.",
      shown, all);
}

}  // namespace

void WriteLogs(const Application& application, const Answers& answers, ColumnArea* columns, JsonWriter* json) {
  const LogRecords& logs = application.logs;
  if (logs.templates.empty()) return;
  const TimeRange range = RangeOf(application);
  const LogQuota quota;
  const std::vector<uint32_t> rows = ChooseRows(logs, quota);
  const std::vector<int64_t> times = TimesOf(logs);
  std::vector<uint32_t> templates;
  const std::vector<int32_t> place = ChooseTemplates(logs, &templates);
  json->Key("logs").BeginObject().Member("sources", logs.sources).Key("levels").BeginArray();
  for (size_t level = 0; level < kLogLevelCount; ++level) json->Value(LogLevelName(static_cast<LogLevel>(level)));
  json->EndArray();
  WriteTemplates(logs, templates, json);
  WriteTemplateTimes(logs, times, place, range, columns, json);
  WriteRecords(logs, rows, times, place, quota, range, columns, json);
  json->Key("errors");
  WriteLogErrors(answers.errors, ErrorMembers::kLevelAndStack, json, kMaxErrors);
  json->Member("dropped", DroppedText(logs, rows.size())).EndObject();
}

}  // namespace sparkprof
