// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/findings/finding.h"

namespace sparkprof {

// A query with its jobs, or a job without a query.
struct QueryRun {
  int64_t begin_ns = 0;      // start of its planning
  int64_t first_job_ns = 0;  // submission of its first job
  int64_t end_ns = 0;        // end of its last job
  const SqlExecution* sql = nullptr;
  std::string call_site;
  std::vector<int64_t> stages;  // IDs
  std::vector<uint32_t> tasks;  // rows
  bool is_of_library = false;   // iterations of an algorithm, and queries of a table format

  int64_t Duration() const { return end_ns - begin_ns; }
};

// Runs of the program, by time of submission, without jobs of readers and batches of streams.
std::vector<QueryRun> QueryRuns(const FindingInput& input);

}  // namespace sparkprof
