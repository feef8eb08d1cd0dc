// SPDX-License-Identifier: Apache-2.0
#include "analysis/machines/process_rows.h"
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"

namespace sparkprof {
namespace {

std::vector<ProcessRow> RowsOfAll(const std::vector<const Application*>& applications) {
  std::vector<std::vector<ProcessRow>> lists;
  for (const Application* application : applications) lists.push_back(ProcessRows(*application));
  MergeDays(&lists);
  std::vector<ProcessRow> rows;
  for (std::vector<ProcessRow>& list : lists) {
    for (ProcessRow& row : list) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Table ProcessesTable(const std::vector<const Application*>& applications) {
  using enum ColumnType;
  using enum Visibility;
  const auto of = CellsOf(RowsOfAll(applications));
  const auto cpu_seconds =
      of.Of([](const ProcessRow& row) { return static_cast<double>(row.cpu_ns) / kNanosPerSecond; });
  const auto max_cpu = of.Of([](const ProcessRow& row) { return std::round(row.max_cpu_percent * 10) / 10; });
  return {
      .name = "processes",
      .rows = of.Size(),
      .columns = {
          {"pid", "process ID", kInteger, kShown, of.Value(&ProcessRow::pid)},
          {"ppid", "process ID of its parent", kInteger, kShown, of.Value(&ProcessRow::parent_pid)},
          {"type", "jvm_driver, jvm_executor, python_worker, …", kText, kShown, of.Text(&ProcessRow::type)},
          {"application", "application ID", kText, kShown, of.Text(&ProcessRow::application_id)},
          {"executor", "executor ID", kText, kShown, of.Text(&ProcessRow::executor_id), ColumnRole::kExecutor},
          {"startTime", "start, or when it was first seen", kTime, kHidden, of.Time(&ProcessRow::start_ns),
           ColumnRole::kBegin},
          {"endTime", "end, or when it was last seen", kTime, kHidden, of.Time(&ProcessRow::end_ns), ColumnRole::kEnd},
          {"cpuSeconds", "CPU time", kSeconds, kShown, cpu_seconds},
          {"maxCpuPercent", "largest use of CPUs; 100 is one core", kPercent, kShown, max_cpu},
          {"maxRssBytes", "largest resident memory", kBytes, kShown, of.Optional(&ProcessRow::max_rss_bytes)},
          {"maxPrivateBytes", "largest private memory", kBytes, kHidden, of.Optional(&ProcessRow::max_private_bytes)},
          {"maxVirtualBytes", "largest virtual memory", kBytes, kHidden, of.Optional(&ProcessRow::max_virtual_bytes)},
          {"readBytes", "bytes read from disks", kBytes, kHidden, of.Optional(&ProcessRow::read_bytes)},
          {"writeBytes", "bytes written to disks", kBytes, kHidden, of.Optional(&ProcessRow::write_bytes)},
          {"maxThreads", "largest number of threads", kInteger, kHidden, of.Optional(&ProcessRow::max_threads)},
          {"name", "name of the program", kText, kHidden, of.Text(&ProcessRow::name)},
          {"container", "ID of its container", kText, kHidden, of.Text(&ProcessRow::container_id)},
          {"user", "user who runs it", kText, kHidden, of.Text(&ProcessRow::user)},
          {"host", "host", kText, kHidden, of.Text(&ProcessRow::host)},
          {"ended", "it ended while it was watched", kBoolean, kHidden, of.Value(&ProcessRow::ended)},
          {"command", "command line, without secrets", kLongText, kShown, of.Text(&ProcessRow::command)},
      }};
}

}  // namespace sparkprof
