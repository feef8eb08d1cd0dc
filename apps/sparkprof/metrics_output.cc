// SPDX-License-Identifier: Apache-2.0
#include "metrics_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>

#include "base/json_writer.h"
#include "base/time.h"

namespace sparkprof {
namespace {

double ValueOf(const RecordSeries& series, const SeriesPoint& point, bool normalize) {
  return normalize ? NormalizedValue(series.metric.unit, point.value) : point.value;
}

std::string CsvField(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

void WritePoints(const RecordSeries& series, bool normalize, JsonWriter* json) {
  json->Key("times").BeginArray();
  for (const SeriesPoint& point : series.points) json->Value(point.time_ns / kNanosPerMilli);
  json->EndArray().Key("values").BeginArray();
  for (const SeriesPoint& point : series.points) json->Value(ValueOf(series, point, normalize));
  json->EndArray();
}

}  // namespace

std::string MaximaJson(const std::vector<MetricGroup>& groups, bool normalize) {
  JsonWriter json;
  json.BeginObject();
  for (const MetricGroup& group : groups) json.Member(group.name, Maximum(group, normalize));
  json.EndObject();
  return json.Take() + "\n";
}

std::string MaximaText(const std::vector<MetricGroup>& groups, bool normalize) {
  size_t width = 0;
  for (const MetricGroup& group : groups) width = std::max(width, group.name.size());
  std::string text;
  for (const MetricGroup& group : groups) {
    const std::string_view unit = UnitName(group.series.front()->metric.unit, normalize);
    text +=
        fmt::format("{:{}}  {:.6g}{}{}\n", group.name, width, Maximum(group, normalize), unit.empty() ? "" : " ", unit);
  }
  return text;
}

std::string SeriesJson(const ProfilerRecords& records, const std::vector<MetricGroup>& groups, bool normalize,
                       bool with_points) {
  JsonWriter json;
  json.BeginArray();
  for (const MetricGroup& group : groups) {
    for (const RecordSeries* series : group.series) {
      const RecordProcess& process = records.processes[series->process];
      json.BeginObject()
          .Member("name", series->metric.name)
          .Member("profiler", RecordProfilerName(process.profiler))
          .Member("process", process.name)
          .Member("processId", process.key)
          .Member("pid", process.pid)
          .Member("host", process.host)
          .Member("applicationId", process.application_id)
          .Member("role", process.role)
          .Member("unit", UnitName(series->metric.unit, normalize))
          .Member("kind", series->metric.kind == SeriesKind::kCounter ? "counter" : "gauge")
          .Member("series", series->metric.series)
          .Member("points", series->points.size());
      if (with_points) WritePoints(*series, normalize, &json);
      json.EndObject();
    }
  }
  json.EndArray();
  return json.Take() + "\n";
}

std::string SeriesCsv(const ProfilerRecords& records, const std::vector<MetricGroup>& groups, bool normalize) {
  std::string text = "metric,profiler,process,unit,epochMillis,value\n";
  for (const MetricGroup& group : groups) {
    for (const RecordSeries* series : group.series) {
      const RecordProcess& process = records.processes[series->process];
      const std::string begin = fmt::format("{},{},{},{}", CsvField(group.name), RecordProfilerName(process.profiler),
                                            CsvField(process.name), UnitName(series->metric.unit, normalize));
      for (const SeriesPoint& point : series->points) {
        fmt::format_to(std::back_inserter(text), "{},{},{}\n", begin, point.time_ns / kNanosPerMilli,
                       ValueOf(*series, point, normalize));
      }
    }
  }
  return text;
}

std::string SeriesTable(const std::vector<MetricGroup>& groups, bool normalize) {
  size_t width = std::string_view("metric").size();
  for (const MetricGroup& group : groups) width = std::max(width, group.name.size());
  std::string text = fmt::format("{:{}}  {:>7}  {:>9}  {:>12}  {:>12}  {:>12}\n", "metric", width, "unit", "processes",
                                 "points", "minimum", "maximum");
  for (const MetricGroup& group : groups) {
    std::set<uint32_t> processes;
    size_t points = 0;
    double minimum = std::numeric_limits<double>::infinity();
    for (const RecordSeries* series : group.series) {
      processes.insert(series->process);
      points += series->points.size();
      for (const SeriesPoint& point : series->points) minimum = std::min(minimum, ValueOf(*series, point, normalize));
    }
    text += fmt::format("{:{}}  {:>7}  {:>9}  {:>12}  {:>12.6g}  {:>12.6g}\n", group.name, width,
                        UnitName(group.series.front()->metric.unit, normalize), processes.size(), points, minimum,
                        Maximum(group, normalize));
  }
  return text;
}

}  // namespace sparkprof
