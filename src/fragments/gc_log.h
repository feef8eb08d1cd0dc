// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace sparkprof {

struct GcLog {
  std::string collector;  // "G1", "Parallel", "Serial", "CMS", "ZGC", "Shenandoah"; empty = unknown
  int64_t pauses = 0;
  int64_t pause_ns = 0;
  int64_t longest_ns = 0;
  std::string longest;     // longest pause: "Pause Full (G1 Compaction Pause)"
  int64_t elapsed_ns = 0;  // 0 = no times in the log
  int64_t full = 0;        // stop-the-world collections of the whole heap
  int64_t full_ns = 0;
  int64_t allocated_bytes = 0;    // between the first and the last collection
  int64_t allocation_ns = 0;      // between the first and the last collection; 0 = no times in the log
  int64_t humongous = 0;          // collections caused by humongous allocations (G1)
  int64_t for_classes = 0;        // full collections because Metaspace was full
  int64_t last_resorts = 0;       // those of `for_classes` that also cleared all soft references
  int64_t max_classes_bytes = 0;  // Metaspace limit; 0 = none or unknown
  int64_t without_room = 0;       // collections that could not copy all objects: to-space exhausted, promotion failed
  int64_t stalls = 0;             // allocation stalls (ZGC)
  int64_t stall_ns = 0;           // sum over all threads, which wait concurrently
  int64_t max_heap_bytes = 0;     // 0 = unknown
  int64_t memory_bytes = 0;       // physical memory of the machine or container; 0 = unknown
  int64_t region_bytes = 0;       // G1's region size; 0 = unknown
  // Used memory after the last full collection; without one, the least after the last collections.
  std::optional<int64_t> live_bytes;
  bool is_live_exact = false;
};

// Reads the output of -Xlog:gc and -Xlog:gc* (JDK 9 and later), and of -XX:+PrintGC and -XX:+PrintGCDetails (JDK 8),
// with any decorations and among any other lines. Logs of several JVMs may be concatenated. Format:
// https://docs.oracle.com/en/java/javase/17/docs/specs/man/java.html, "Enable Logging with the JVM Unified Logging
// Framework".
class GcLogReader {
 public:
  void AddLine(std::string_view line);
  GcLog Finish();

 private:
  struct Change {
    int64_t before = 0, after = 0, capacity = 0;
  };

  void AddUnified(std::string_view line);
  void AddMessage(std::string_view message, bool is_of_collection);
  void AddHeader(std::string_view message);
  void AddOldEvent(std::string_view stamps, std::string_view event);
  void EndOldEvent();
  void AddPause(std::string_view name, int64_t ns);
  void AddChange(const Change& change, bool is_whole_heap);
  void AddTime(int64_t ns);

  static std::optional<Change> LastChange(std::string_view text);

  GcLog log_;
  std::string open_event_;  // JDK 8 event that ends on a later line
  size_t open_lines_ = 0;
  int64_t first_ns_ = -1, last_ns_ = -1;  // for the current JVM
  int64_t after_ = -1;                    // used memory after the previous collection
  int64_t after_time_ns_ = -1;            // time of that collection
  int64_t largest_capacity_ = 0;
  std::optional<int64_t> whole_heap_after_;
  std::deque<int64_t> recent_after_;
  bool is_last_full_ = false;
  bool awaits_heap_ = false;  // a later line has the sizes of the last event
};

}  // namespace sparkprof
