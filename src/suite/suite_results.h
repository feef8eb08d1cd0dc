// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace sparkprof {

struct TypeMaxima {
  int64_t processes = 0;
  double max_cpu_percent = 0;  // one process over an interval; 100 = one core
  // Maxima of single processes.
  int64_t max_rss_bytes = 0;
  int64_t max_private_bytes = 0;  // 0 = not read: the kernel denies it, or the processes were too short-lived
  int64_t max_virtual_bytes = 0;
};

struct RepeatResult {
  int64_t repeat = 1;
  int exit_code = 0;  // as a shell reports it
  bool timed_out = false;
  int64_t start_ns = 0;
  double seconds = 0;
  double cpu_seconds = 0;                    // CPU time of all processes that were waited for
  int64_t max_rss_bytes = 0;                 // sum of all processes at one moment
  int64_t dropped_rows = 0;                  // rows of processes.jsonl beyond its limit
  std::map<std::string, TypeMaxima> maxima;  // by process type
  std::string folder;                        // folder of output and recording, relative to the summary
};

struct JobResult {
  std::string name;
  std::optional<double> size;
  std::map<std::string, std::string> parameters;
  bool is_profiled = false;
  std::vector<RepeatResult> repeats;
};

struct SuiteResults {
  std::string suite, version, user;
  std::string status = "running";  // or passed, failed, interrupted
  std::optional<int64_t> run;      // ID on the server
  int64_t start_ns = 0, end_ns = 0;
  std::vector<JobResult> jobs;
};

// summary.json (docs/measure.md).
std::string SummaryJson(const SuiteResults& results);
Result<SuiteResults> ParseSummary(const std::string& json, const std::string& path);

// Formats "sort, size 1000".
std::string JobLabel(const JobResult& job);

// The compared values of each measure, one per repeat. Maxima of types are "maxRssBytes.python_worker" and so on.
std::map<std::string, std::vector<double>> MeasuresOf(const JobResult& job);

}  // namespace sparkprof
