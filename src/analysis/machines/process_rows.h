// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// A process of an application or a host over its lifetime. No value = not recorded.
struct ProcessRow {
  int64_t pid = 0;
  int64_t start_ticks = 0;
  int64_t started_ns = 0;  // by its host's clock when a monitor first saw it
  int64_t parent_pid = 0;
  std::string type;  // "jvm_driver", "python_worker", … (segment.proto)
  std::string name, command;
  std::string application_id, executor_id, container_id, user, host;
  int64_t start_ns = 0;
  int64_t end_ns = 0;  // end of the recording if it is still running
  bool ended = false;
  bool is_of_node = false;  // from a host's recording, not an application's
  // Since its start, including ended children without a row.
  int64_t cpu_ns = 0;
  double max_cpu_percent = 0;  // 100 = one core
  std::optional<int64_t> max_rss_bytes, max_private_bytes, max_virtual_bytes, max_threads;
  std::optional<int64_t> read_bytes, write_bytes;
};

// The type of a process with this role in a recording: the agent's role for its own JVM is only "jvm".
std::string ProcessType(const std::string& role, const std::string& executor_id);

// Rows in order of start.
std::vector<ProcessRow> ProcessRows(const Application& application);

// Merges rows of one process from several recordings of a host (days, attempts after its clock was set back) into the
// first list. Each list belongs to an application.
void MergeDays(std::vector<std::vector<ProcessRow>>* rows);

}  // namespace sparkprof
