// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/file.h"
#include "capture/process_tree.h"
#include "capture/received_bytes.h"
#include "capture/thread_times.h"
#include "formats/jfr/jfr_reader.h"
#include "segment_writer.h"

namespace sparkprof {

// Records the series of docs/series.md: the JVM's counters, and resource usage of its process tree.
class JvmMonitor {
 public:
  // `temporary_folder`: where JVMs store their counters.
  JvmMonitor(int64_t jvm_pid, int64_t start_ticks, SegmentWriter* writer, std::string temporary_folder = "/tmp");

  // Reads the JVM's counters (hsperfdata). Adds one notice if there are none; failed readings count as a loss. Heap
  // sizes then come from the JFR.
  void ReadCounters();
  void ReadProcesses();
  // Records the private memory of a Python process, at most every 2 s: reading walks its page tables.
  void ReadMemory(int64_t pid, int64_t start_ticks);
  // Heap sizes from the JFR, used only without readable hsperfdata.
  void AddHeapSummaries(const std::vector<JfrHeapSummary>& summaries);
  const std::map<int64_t, Process>& Processes() const { return processes_; }
  // Records CPU time of the JVM's threads by name, at most every 2 s unless `now`: takes a few ms for hundreds of
  // threads.
  void ReadThreads(bool now = false);
  void NameThread(int64_t tid, std::string_view name) { threads_.SetName(tid, name); }
  // Records when each process was last seen.
  void NoteLastSeen();

 private:
  struct MemoryRead {
    int64_t time_ns = 0;  // CLOCK_MONOTONIC
    // Resident memory that counts for the processes that share it; nullopt = not readable.
    std::optional<int64_t> of_others;
  };

  bool FindCounters();
  void AddPoint(std::string_view name, SeriesKind kind, double value, int64_t time_ns);

  const int64_t jvm_pid_;
  const int64_t start_ticks_;
  SegmentWriter* writer_;
  ProcessTree tree_;
  std::map<int64_t, Process> processes_;        // running processes as last reported
  std::map<int64_t, MemoryRead> memory_reads_;  // the last ReadMemory by process
  std::map<int64_t, ReceivedBytes> received_;   // for the driver's Python programs
  ThreadTimes threads_;
  std::set<std::string> names_of_threads_;  // names with series
  int64_t threads_read_ns_ = 0;             // CLOCK_MONOTONIC
  FileDescriptor counters_;
  const std::string temporary_folder_;
  std::string counters_path_;
  bool counters_readable_ = true;    // result of the last reading
  int64_t unreadable_counters_ = 0;  // number of failed readings
  int attempts_ = 0;
};

}  // namespace sparkprof
