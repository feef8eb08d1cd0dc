// SPDX-License-Identifier: Apache-2.0
#include "render/answer_tables.h"

#include <algorithm>
#include <utility>

#include "base/time.h"

namespace sparkprof {
namespace {

Cell TimeCell(int64_t epoch_ns) { return epoch_ns > 0 ? Cell(epoch_ns / kNanosPerMilli) : Cell(); }

// The first row of each series in the common table, and the end of the last one.
std::vector<size_t> FirstRows(const std::vector<ApplicationSeries>& series) {
  std::vector<size_t> first{0};
  for (const ApplicationSeries& one : series) first.push_back(first.back() + one.points.size());
  return first;
}

}  // namespace

Table FindingsTable(const std::vector<Finding>& findings) {
  const auto text = [&findings](std::string Finding::*member) {
    return [&findings, member](size_t row) { return Cell(std::string_view(findings[row].*member)); };
  };
  return {.name = "findings",
          .rows = findings.size(),
          .columns = {
              {"id", text(&Finding::id)},
              {"severity", [&findings](size_t row) { return Cell(SeverityName(findings[row].severity)); }},
              {"confidence", [&findings](size_t row) { return Cell(findings[row].confidence); }},
              {"title", text(&Finding::title)},
              {"what", text(&Finding::what)},
              {"evidence", text(&Finding::evidence)},
              {"rule", text(&Finding::condition)},
              {"change", text(&Finding::change)},
              {"gainMs", [&findings](size_t row) { return Cell(findings[row].gain_ns / kNanosPerMilli); }},
          }};
}

Table ConcurrencyTable::Steps() const {
  return {.name = "concurrency",
          .rows = steps_.size(),
          .columns = {
              {"time", [this](size_t row) { return TimeCell(steps_[row].time_ns); }},
              {"running", [this](size_t row) { return Cell(int64_t{steps_[row].running}); }},
          }};
}

Table SeriesTable(const Application& application) {
  const auto first = std::make_shared<const std::vector<size_t>>(FirstRows(application.series));
  // The series and its point of a row.
  const auto place = [first](size_t row) {
    const auto next = std::upper_bound(first->begin(), first->end(), row);
    const auto series = static_cast<size_t>(next - first->begin()) - 1;
    return std::pair(series, row - (*first)[series]);
  };
  const auto& series = application.series;
  return {.name = "series",
          .rows = first->back(),
          .columns = {
              {"name", [&series, place](size_t row) { return Cell(std::string_view(series[place(row).first].name)); }},
              {"executorId",
               [&application, place](size_t row) {
                 const int32_t executor = application.series[place(row).first].executor;
                 if (executor < 0) return Cell();
                 return Cell(std::string_view(application.executors[static_cast<size_t>(executor)].id));
               }},
              {"pid",
               [&application, place](size_t row) {
                 const int32_t process = application.series[place(row).first].process;
                 return process < 0 ? Cell() : Cell(application.processes[static_cast<size_t>(process)].process.pid);
               }},
              {"time",
               [&series, place](size_t row) {
                 const auto [one, point] = place(row);
                 return TimeCell(series[one].points[point].time_ns);
               }},
              {"value",
               [&series, place](size_t row) {
                 const auto [one, point] = place(row);
                 return Cell(series[one].points[point].value);
               }},
          }};
}

Table LogTemplatesTable(const Application& application) {
  const auto& templates = application.logs.templates;
  return {.name = "log_templates",
          .rows = templates.size(),
          .columns = {
              {"template", [&templates](size_t row) { return Cell(std::string_view(templates[row].text)); }},
              {"count", [&templates](size_t row) { return Cell(templates[row].count); }},
              {"first", [&templates](size_t row) { return TimeCell(templates[row].first_ns); }},
              {"last", [&templates](size_t row) { return TimeCell(templates[row].last_ns); }},
          }};
}

}  // namespace sparkprof
