// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <map>
#include <numeric>
#include <ranges>
#include <utility>
#include <vector>

#include "analysis/owners/native_memory.h"
#include "analysis/selection/time_range.h"
#include "analysis/tables/tables.h"
#include "base/time.h"
#include "render/report/answers_json.h"
#include "render/report/info.h"
#include "render/report/report_tables.h"
#include "render/report/series_view.h"

namespace sparkprof {
namespace {

// Repeats, late, what the children's own series show.
constexpr std::string_view kAccountOfChildren = "process.children_cpu_ns";
// The page has the owners of the CPU time that follow from these.
constexpr std::string_view kOfThreads = "thread.";
constexpr size_t kMaxPointsOfSeries = 1000;  // a chart is not wider than that

std::vector<int64_t> CpuOfExecutors(const Application& application) {
  std::vector<int64_t> cpu(application.executors.size());
  const EventId cpu_event = application.profile.Row(Event::kCpu);
  for (const Sample& sample : application.profile.samples) {
    const int32_t executor = application.ExecutorOf(sample);
    if (sample.event == cpu_event && executor >= 0) cpu[static_cast<size_t>(executor)] += sample.weight;
  }
  return cpu;
}

// Over all tasks, whether the page shows them or not.
std::vector<std::array<int64_t, kTaskMetricCount>> MetricsOfExecutors(const Application& application) {
  const Tasks& tasks = application.tasks;
  std::vector<std::array<int64_t, kTaskMetricCount>> totals(application.executors.size());
  for (size_t row = 0; row < tasks.Size(); ++row) {
    if (tasks.executor[row] < 0) continue;
    std::array<int64_t, kTaskMetricCount>& sums = totals[static_cast<size_t>(tasks.executor[row])];
    for (size_t metric = 0; metric < kTaskMetricCount; ++metric) sums[metric] += tasks.metrics[metric][row];
  }
  return totals;
}

void WriteExecutors(const Application& application, size_t shown, JsonWriter* json) {
  const auto totals = MetricsOfExecutors(application);
  const std::vector<int64_t> cpu = CpuOfExecutors(application);
  std::vector<std::vector<size_t>> processes(shown);
  for (size_t process = 0; process < application.processes.size(); ++process) {
    const int32_t executor = application.processes[process].executor;
    if (executor >= 0 && static_cast<size_t>(executor) < shown)
      processes[static_cast<size_t>(executor)].push_back(process);
  }
  const auto write_more = [&](uint32_t row) {
    json->Member("cpuSamplesNs", cpu[row]).Member("processes", processes[row]).Key("totals").BeginObject();
    for (size_t metric = 0; metric < kTaskMetricCount; ++metric) {
      if (totals[row][metric] != 0) json->Member(Text(static_cast<TaskMetric>(metric)).name, totals[row][metric]);
    }
    json->EndObject();
  };
  std::vector<uint32_t> rows(shown);
  std::iota(rows.begin(), rows.end(), 0);
  WriteRows(ExecutorsTable(application), rows, write_more, json);
}

void WriteOneSeries(const ApplicationSeries& series, const std::vector<ApplicationSeries>& all, int64_t start_ns,
                    const ChosenRows& rows, ColumnArea* columns, JsonWriter* json) {
  const SeriesView view = ViewOf(series, start_ns, kMaxPointsOfSeries, all);
  if (view.time.empty()) return;
  json->BeginObject()
      .Member("name", series.name)
      .Member("unit", view.unit)
      .Member("label", view.label)
      .Member("executor", rows.Executor(series.executor))
      .Member("process", series.process);
  columns->Add("time", view.time, json);
  columns->Add("value", view.value, json);
  json->EndObject();
}

void WriteSeries(const Application& application, const ChosenRows& rows, ColumnArea* columns, JsonWriter* json) {
  const int64_t start_ns = RangeOf(application).start_ns;
  json->Key("series").BeginArray();
  for (const ApplicationSeries& series : application.series) {
    if (series.name == kAccountOfChildren || series.name.starts_with(kOfThreads)) continue;
    WriteOneSeries(series, application.series, start_ns, rows, columns, json);
  }
  const auto write_in_use = [&](const char* name, std::map<int32_t, std::vector<SeriesPoint>> in_use) {
    for (auto& [executor, points] : in_use) {
      WriteOneSeries({.name = name, .executor = executor, .points = std::move(points)}, application.series, start_ns,
                     rows, columns, json);
    }
  };
  write_in_use("jvm.native_used_bytes", NativeMemoryInUse(application));
  write_in_use("python.live_bytes", PythonMemoryInUse(application));
  json->EndArray();
}

}  // namespace

void WriteMachines(const Application& application, const ChosenRows& rows, std::string_view note, ColumnArea* columns,
                   JsonWriter* json) {
  WriteExecutors(application, rows.executors, json);
  json->Key("processes").BeginArray();
  for (const ApplicationProcess& process : application.processes) {
    json->BeginObject()
        .Member("pid", process.process.pid)
        .Member("role", process.process.role)
        .Member("command", process.process.command)
        .Member("executor", rows.Executor(process.executor))
        .EndObject();
  }
  json->EndArray();
  WriteSeries(application, rows, columns, json);
  json->Key("environment").BeginArray();
  const Table environment = EnvironmentTable(application);
  for (size_t row = 0; row < environment.rows; ++row) {
    json->BeginObject();
    for (const TableColumn& column : environment.columns | std::views::drop(1))  // the section stands for the group
      json->Member(column.name, std::get<std::string_view>(column.cell(row)));
    json->EndObject();
  }
  json->EndArray().Key("notices").BeginArray();
  if (!note.empty()) {
    json->BeginObject()
        .Member("time", application.start_ns / kNanosPerMilli)
        .Member("level", NoticeLevelName(NoticeLevel::kInformation))
        .Member("text", note)
        .EndObject();
  }
  for (const ApplicationNotice& notice : application.notices) {
    json->BeginObject()
        .Member("time", notice.notice.time_ns / kNanosPerMilli)
        .Member("level", NoticeLevelName(notice.notice.level))
        .Member("text", notice.notice.text)
        .EndObject();
  }
  json->EndArray();
}

void WriteAnswers(const Application& application, const Answers& answers, JsonWriter* json) {
  json->Key("rules").BeginObject().Member("applied", answers.rules.any);
  json->Member("checked", answers.rules.checked).Key("notChecked").BeginArray();
  for (const NotChecked& one : answers.rules.not_checked) {
    json->BeginObject().Member("what", one.what).Member("reason", one.reason).EndObject();
  }
  json->EndArray().EndObject();
  json->Key("timeSpent").BeginArray();
  for (const TimePart& part : answers.time_spent.parts) {
    json->BeginObject()
        .Member("name", part.name)
        .Member("ns", part.ns)
        .Member("share", part.share)
        .Member("estimate", part.estimate)
        .Key("selection");
    if (part.has_selection) {
      WriteSelection(part.selection, json);
    } else {
      json->Null();
    }
    json->EndObject();
  }
  json->EndArray();
  WriteOwners(answers.owners, json);
  json->Key("findings").BeginArray();
  for (const Finding& finding : answers.findings) WriteFinding(application, finding, answers.costs, json);
  json->EndArray().Key("udfs").BeginArray();
  for (const UdfCost& udf : answers.udfs) WriteUdf(udf, json);
  json->EndArray().Member("pythonCpuNs", answers.python_cpu_ns).Key("waits").BeginArray();
  for (const StageWaits& waits : answers.waits) {
    json->BeginObject();
    WriteWaits(waits, json);
    json->Member("words", WaitsInWords(waits)).EndObject();
  }
  json->EndArray();
}

}  // namespace sparkprof
