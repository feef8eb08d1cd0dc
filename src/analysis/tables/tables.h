// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/findings/finding.h"
#include "analysis/selection/selection.h"
#include "analysis/tables/table.h"
#include "model/application.h"

namespace sparkprof {

struct ProfilerRecords;

// The tables of an application, which outlives them. One file for each.

// Names, units and values are those of Spark's REST API, /api/v1/applications/ID/…: bytes, ms where REST has ms, ns
// where it has ns (CPU times, shuffle write time); but times are ms since the epoch.
Table JobsTable(const Application& application);
// A row for each tag of jobs: of SparkContext.addJobTag, Spark Connect, a pipeline or dbt. Jobs may have several.
Table TagsTable(const Application& application);
Table StagesTable(const Application& application);
Table TasksTable(const Application& application);
Table ExecutorsTable(const Application& application);
Table SqlTable(const Application& application);
// A row for each table or path that queries read or write, by the names of OpenLineage.
Table DatasetsTable(const Application& application);
// A row for each cached RDD, with its peaks beside what REST has.
Table StorageTable(const Application& application);
// A row for each batch of a Structured Streaming query, with the names of its progress event.
Table StreamingTable(const Application& application);
// The slowest batch of each run of a query against the one of median duration, see CompareBatches.
Table BatchesTable(const Application& application);
Table EnvironmentTable(const Application& application);

// The cost of each operator of the SQL plans; requires merged samples (stitch.h).
Table OperatorsTable(const Application& application);
// The cost of each user function in Python workers; requires samples that are not merged.
Table UdfsTable(const Application& application);
// The waits of the JVM and Python in each stage that uses Python; requires samples that are not merged.
Table WaitsTable(const Application& application);

// The classes in the heaps at the last summary of each JVM in the selection, and the change since the first one. Uses
// the selection's executor and times.
Table HeapTable(const Application& application, const Selection& selection);
Table HeapSummariesTable(const Application& application);

// The parts of each executor's memory over time; native memory in use at the end and at its peak, by owner and call
// path.
Table MemoryTable(const Application& application);
Table NativeMemoryTable(const Application& application);

// The number of running tasks from a time on.
Table ConcurrencyTable(const Application& application);

// A row for each Spark application and attempt: neither hosts nor profiles of other programs. `verdict` is called when
// a row's verdict is read, and may be empty.
Table ApplicationsTable(const std::vector<const Application*>& applications, const VerdictOfApplication& verdict);
// The processes of applications and of hosts; a process that several recordings have is one row.
Table ProcessesTable(const std::vector<const Application*>& applications);
// The hosts of executors, and those that `sparkprof monitor` recorded.
Table HostsTable(const std::vector<const Application*>& applications);

// A row for each series of the applications and for each metric of a process in profilers' records.
Table MetricsTable(const std::vector<const Application*>& applications, const ProfilerRecords* records);
// A row for each of their points.
Table SeriesTable(const std::vector<const Application*>& applications, const ProfilerRecords* records);

Table FindingsTable(const std::vector<Finding>& findings);
Table LogTemplatesTable(const Application& application);

}  // namespace sparkprof
