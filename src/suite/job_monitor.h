// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "monitor/node_monitor.h"
#include "monitor/recording_file.h"
#include "suite/suite_results.h"

namespace sparkprof {

// Files in each run's folder: JSON lines per process and reading, as accepted by POST /runs/ID/processes, and the
// recording with all series.
inline constexpr char kProcessRowsName[] = "processes.jsonl";
inline constexpr char kProcessRecordingName[] = "processes";

// Reads the processes of a running job and keeps their maxima by type. Not thread-safe.
class JobMonitor {
 public:
  // `folder` must exist.
  JobMonitor(pid_t job, int64_t interval_ns, std::string folder);

  void Read();
  // Completes the files. Fails if one of them could not be written.
  Result<void> Finish(RepeatResult* result);

 private:
  struct Seen {
    std::string type;
    TypeMaxima maxima;
    int64_t cpu_ns = 0, time_ns = 0;  // start of the window for the next percentage
    double cpu_percent = 0;           // over the last window
    int64_t reading = 0;              // last reading with the process
  };
  using Key = std::pair<int64_t, int64_t>;  // PID and start ticks

  void Update(const ProcessTable::Now& now, int64_t time_ns, Seen* seen) const;
  void AddRow(const ProcessTable::Now& now, const Seen& seen, int64_t epoch_ns);
  void AddToType(const Seen& seen);

  const std::string folder_;
  const std::string host_;
  NodeMonitor monitor_;
  std::optional<RecordingFile> recording_;
  std::optional<Error> problem_;  // first problem
  std::string rows_;
  int64_t dropped_rows_ = 0;
  std::map<Key, Seen> living_;
  std::map<std::string, TypeMaxima> maxima_;  // maxima of ended processes
  int64_t max_rss_bytes_ = 0;
  int64_t readings_ = 0;
};

}  // namespace sparkprof
