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
  const auto rows = std::make_shared<const std::vector<ProcessRow>>(RowsOfAll(applications));
  const auto text = [rows](std::string ProcessRow::*field) {
    return [rows, field](size_t row) { return TextCell((*rows)[row].*field); };
  };
  const auto number = [rows](std::optional<int64_t> ProcessRow::*field) {
    return [rows, field](size_t row) { return OptionalCell((*rows)[row].*field); };
  };
  const auto time = [rows](int64_t ProcessRow::*field) {
    return [rows, field](size_t row) { return TimeCell((*rows)[row].*field); };
  };
  const auto cpu_seconds = [rows](size_t row) {
    return Cell(static_cast<double>((*rows)[row].cpu_ns) / kNanosPerSecond);
  };
  const auto max_cpu = [rows](size_t row) { return Cell(std::round((*rows)[row].max_cpu_percent * 10) / 10); };
  return {.name = "processes",
          .rows = rows->size(),
          .columns = {
              {"pid", "process ID", kInteger, kShown, [rows](size_t row) { return Cell((*rows)[row].pid); }},
              {"ppid", "process ID of its parent", kInteger, kShown,
               [rows](size_t row) { return Cell((*rows)[row].parent_pid); }},
              {"type", "jvm_driver, jvm_executor, python_worker, …", kText, kShown, text(&ProcessRow::type)},
              {"application", "application ID", kText, kShown, text(&ProcessRow::application_id)},
              {"executor", "executor ID", kText, kShown, text(&ProcessRow::executor_id), ColumnRole::kExecutor},
              {"startTime", "start, or when it was first seen", kTime, kHidden, time(&ProcessRow::start_ns),
               ColumnRole::kBegin},
              {"endTime", "end, or when it was last seen", kTime, kHidden, time(&ProcessRow::end_ns), ColumnRole::kEnd},
              {"cpuSeconds", "CPU time", kSeconds, kShown, cpu_seconds},
              {"maxCpuPercent", "largest use of CPUs; 100 is one core", kPercent, kShown, max_cpu},
              {"maxRssBytes", "largest resident memory", kBytes, kShown, number(&ProcessRow::max_rss_bytes)},
              {"maxPrivateBytes", "largest private memory", kBytes, kHidden, number(&ProcessRow::max_private_bytes)},
              {"maxVirtualBytes", "largest virtual memory", kBytes, kHidden, number(&ProcessRow::max_virtual_bytes)},
              {"readBytes", "bytes read from disks", kBytes, kHidden, number(&ProcessRow::read_bytes)},
              {"writeBytes", "bytes written to disks", kBytes, kHidden, number(&ProcessRow::write_bytes)},
              {"maxThreads", "largest number of threads", kInteger, kHidden, number(&ProcessRow::max_threads)},
              {"name", "name of the program", kText, kHidden, text(&ProcessRow::name)},
              {"container", "ID of its container", kText, kHidden, text(&ProcessRow::container_id)},
              {"user", "user who runs it", kText, kHidden, text(&ProcessRow::user)},
              {"host", "host", kText, kHidden, text(&ProcessRow::host)},
              {"ended", "it ended while it was watched", kBoolean, kHidden,
               [rows](size_t row) { return Cell((*rows)[row].ended); }},
              {"command", "command line, without secrets", kLongText, kShown, text(&ProcessRow::command)},
          }};
}

}  // namespace sparkprof
