// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/application_tables.h"

#include <algorithm>

#include "analysis/selection/time_range.h"
#include "analysis/tables/cells.h"
#include "analysis/tables/table_query.h"
#include "analysis/tables/tables.h"
#include "base/text/typing_errors.h"

namespace sparkprof {
namespace {

// Puts the application's ID and attempt before the other columns; `attemptId` is a stage's.
void AddApplicationColumns(const Application& application, Table* table) {
  table->columns.insert(table->columns.begin(),
                        {{"applicationId", "application ID", ColumnType::kText, Visibility::kShown,
                          [&application](size_t) { return Cell(std::string_view(application.id)); }},
                         {"applicationAttemptId", "application attempt ID", ColumnType::kText, Visibility::kShown,
                          [&application](size_t) { return TextCell(application.attempt); }}});
}

Result<Table> JoinOf(const TableData& data, const std::function<Result<Table>(const TableSource& source)>& make) {
  std::vector<Table> tables;
  for (const TableSource& source : data.sources) {
    Result<Table> table = make(source);
    if (!table) return table;
    if (data.sources.size() > 1) AddApplicationColumns(*source.application, &*table);
    tables.push_back(std::move(*table));
  }
  return JoinTables(std::move(tables));
}

template <Table (*kMake)(const Application& application)>
Result<Table> OfEach(const TableData& data) {
  return JoinOf(data, [&data](const TableSource& source) {
    Table table = kMake(*source.application);
    if (data.extend) data.extend(*source.application, &table);
    return SelectRows(std::move(table), source.selection, RangeOf(*source.application).start_ns);
  });
}

Result<Table> HeapOfEach(const TableData& data) {
  return JoinOf(data, [](const TableSource& source) -> Result<Table> {
    const Result<void> checked =
        CheckSelection("heap", source.selection, {ColumnRole::kExecutor, ColumnRole::kBegin, ColumnRole::kEnd});
    if (!checked) return tl::unexpected(checked.error());
    return HeapTable(*source.application, source.selection);
  });
}

std::vector<const Application*> ApplicationsOf(const TableData& data) {
  std::vector<const Application*> applications;
  for (const TableSource& source : data.sources) applications.push_back(source.application);
  return applications;
}

// Times of the selection are since the first start. Every source has the same selection but for dates.
Result<Table> SelectOfAll(Table table, const TableData& data) {
  if (data.sources.empty()) return table;
  const auto start_of = [](const TableSource& source) { return RangeOf(*source.application).start_ns; };
  const auto first =
      std::ranges::min_element(data.sources, [&](const auto& a, const auto& b) { return start_of(a) < start_of(b); });
  return SelectRows(std::move(table), first->selection, start_of(*first));
}

template <Table (*kMake)(const std::vector<const Application*>& applications)>
Result<Table> OfAll(const TableData& data) {
  return SelectOfAll(kMake(ApplicationsOf(data)), data);
}

template <Table (*kMake)(const std::vector<const Application*>& applications, const ProfilerRecords* records)>
Result<Table> OfAllAndRecords(const TableData& data) {
  return SelectOfAll(kMake(ApplicationsOf(data), data.records), data);
}

Result<Table> ListApplications(const TableData& data) {
  return SelectOfAll(ApplicationsTable(ApplicationsOf(data), data.verdict), data);
}

constexpr ApplicationTable kApplicationTables[] = {
    {"applications", "the applications: duration, status, verdict", "no applications", ListApplications},
    {"jobs", "Spark's jobs", "no jobs", OfEach<JobsTable>},
    {"tags", "the tags of jobs: users, sessions, operations, flows of pipelines, models of dbt", "no jobs with tags",
     OfEach<TagsTable>},
    {"stages", "stages with the sums of their tasks' metrics", "no stages", OfEach<StagesTable>},
    {"tasks", "tasks and their metrics", "no tasks", OfEach<TasksTable>},
    {"executors", "executors with the sums of their tasks", "no executors", OfEach<ExecutorsTable>},
    {"sql", "SQL executions and their plans", "no SQL executions", OfEach<SqlTable>},
    {"datasets", "the tables and paths that queries read and write",
     "no SQL execution that reads or writes files or tables", OfEach<DatasetsTable>},
    {"operators", "the cost of each operator of the SQL plans", "no SQL execution with a plan", OfEach<OperatorsTable>,
     TableSamples::kMerged},
    {"udfs", "the cost of each user function in Python workers", "no functions of Python workers", OfEach<UdfsTable>},
    {"waits", "whether stages are Python-bound or JVM-bound", "no stage with Python workers has wall-clock samples",
     OfEach<WaitsTable>},
    {"heap", "the classes with the most bytes in the JVMs' heaps, and their growth",
     "no heap summaries (each JVM writes the first one after 5 s, unless heapSummary.enabled is false)", HeapOfEach},
    {"heap_summaries", "size and pause of each heap summary", "no heap summaries", OfEach<HeapSummariesTable>},
    {"memory", "memory of each executor over time: heap, Spark's off-heap memory, native memory, Python, untracked",
     "no resident memory of JVMs", OfEach<MemoryTable>},
    {"native_memory", "native memory in use at the end and at its peak, by owner and call path",
     "no native memory in use was recorded (run with --event nativemem and spark.sparkprof.nativemem.live=true)",
     OfEach<NativeMemoryTable>},
    {"processes", "processes: CPU time, memory, I/O", "no processes", OfAll<ProcessesTable>},
    {"hosts", "hosts: executors, tasks, use of CPU and memory", "no hosts", OfAll<HostsTable>},
    {"metrics", "metrics of JVMs, processes and hosts: points, minimum, maximum", "no metrics",
     OfAllAndRecords<MetricsTable>},
    {"series", "the points of the metrics over time", "no metrics", OfAllAndRecords<SeriesTable>},
    {"concurrency", "the number of running tasks over time", "no tasks with times", OfEach<ConcurrencyTable>},
    {"storage", "cached RDDs and DataFrames", "no cached RDDs", OfEach<StorageTable>},
    {"streaming", "batches of Structured Streaming queries", "no batches of streaming queries", OfEach<StreamingTable>},
    {"batches", "the slowest batch of each streaming query against its median batch",
     "no streaming query with six batches with rows", OfEach<BatchesTable>},
    {"environment", "settings of Spark, the JVM and the system", "no settings", OfEach<EnvironmentTable>},
};

}  // namespace

std::span<const ApplicationTable> ApplicationTables() { return kApplicationTables; }

Result<const ApplicationTable*> FindApplicationTable(std::string_view name) {
  NearestName nearest(name);
  std::vector<std::string_view> names;
  for (const ApplicationTable& table : kApplicationTables) {
    if (table.name == name) return &table;
    nearest.Add(table.name);
    names.push_back(table.name);
  }
  const std::string advice = nearest.Get().empty() ? std::string() : fmt::format("did you mean {}? ", nearest.Get());
  return Fail(fmt::format("unknown table '{}'; {}use one of {}", name, advice, fmt::join(names, ", ")));
}

}  // namespace sparkprof
