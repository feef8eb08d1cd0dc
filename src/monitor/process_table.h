// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/io/file.h"
#include "capture/new_processes.h"
#include "capture/proc.h"
#include "capture/proc_folder.h"
#include "capture/timed_reader.h"
#include "monitor/node_segment.h"
#include "monitor/process_measures.h"
#include "spark/process_kind.h"

namespace sparkprof {

// Processes that are read at each tick, with their descendants. Others are read less often, or never.
struct MonitorRoots {
  std::vector<int64_t> pids;
  bool node_managers = false;
  bool workers = false;  // workers of standalone clusters
  bool pods = false;     // processes in a Kubernetes cgroup
  bool spark = false;    // all Spark processes
};

// The processes of a host, read from /proc. Process files stay open between ticks, and a tick allocates memory only for
// new processes and changed values. Not thread-safe.
class ProcessTable {
 public:
  ProcessTable(ProcFolder proc, MonitorRoots roots, bool with_others);

  // Reads the tree, and other processes if `others` is set, and writes changes.
  void Tick(int64_t epoch_ns, bool others, NodeSegment* segment);

  // Writes all data of the running processes at the end of a recording.
  void Finish(int64_t epoch_ns, NodeSegment* segment);
  // Makes the next tick write all processes again, because another recording starts.
  void Restart();

  // Number of processes in the tree, without zombies.
  size_t TreeSize() const;
  size_t Size() const { return processes_.size(); }
  // Number of processes in the tree that have ended so far, zombies included.
  int64_t Ended() const;

  // A process at the last tick.
  struct Now {
    const Process& process;
    const std::array<Curve, kMeasures>& curves;
    // Last value read; nullopt = none so far.
    std::optional<double> Value(Measure measure) const;
  };
  // Visits the running processes of the tree, parents before children.
  void ForEachOfTree(const std::function<void(const Now& now)>& visit) const;

  // Number of readings that timed out in the kernel so far.
  int64_t LostReadings() const { return lost_readings_; }

  // Cgroups of the tree, with the number of its processes in each.
  std::map<std::string, int64_t> ControlGroups() const;

  // Maximum number of process files that stay open; further ones are opened for each reading.
  static constexpr size_t kMaxOpenFiles = 4096;

 private:
  // Time of a reading that is not made at each tick, and the process's activity at that time.
  struct LastReading {
    int64_t at_ns = std::numeric_limits<int64_t>::min() / 2;  // CLOCK_MONOTONIC
    int64_t activity = -1;

    // Whether `interval_ns` has passed, or `idle_interval_ns` for a process without activity since.
    bool IsOld(int64_t now_ns, int64_t now_activity, int64_t interval_ns, int64_t idle_interval_ns) const {
      return now_ns - at_ns >= (now_activity == activity ? idle_interval_ns : interval_ns);
    }
  };

  struct Tracked {
    Process process;         // as written or to be written
    ProcessKind kind;        // according to the process itself
    int64_t parent_pid = 0;  // current parent; process.parent_pid is the first one
    int64_t first_ns = 0;    // CLOCK_MONOTONIC of the first tick
    bool is_in_tree = false;
    bool is_changed = true;          // `process` must be written
    bool is_described = false;       // command line and environment were read
    bool has_values = false;         // `stat` was read in this tick
    int64_t listed_children_ns = 0;  // CPU time of ended children that have rows
    std::string stat_text;           // as read; unchanged for sleeping processes
    ProcessStat stat;
    FileDescriptor stat_file;
    FileDescriptor io_file;
    // CLOCK_MONOTONIC of the next readings that are not made at each tick.
    int64_t next_describe_ns = 0;
    int64_t next_seek_ns = 0;
    int64_t next_locked_ns = 0;
    LastReading io;
    LastReading connections;
    LastReading status;
    int64_t status_rss_bytes = 0;  // RSS at the reading of `status`
    LastReading memory;
    int64_t memory_rss_bytes = 0;  // RSS at the reading of memory
    int64_t memory_cost_ns = 0;    // CPU time of that reading
    std::array<Curve, kMeasures> curves;

    CurveOwner Owner() const { return {process.pid, process.start_ticks}; }
    int64_t CpuNanos() const;
    int64_t ChildrenNanos() const;
    // Grows while the process runs: clock ticks and page faults.
    int64_t Activity() const;
  };

  void FindNew(int64_t epoch_ns);
  void Add(int64_t pid, int64_t epoch_ns);
  // Returns false if the process has ended.
  bool Read(Tracked* tracked);
  std::string_view ReadProc(const Tracked& tracked, const FileDescriptor& file, const char* name);
  // Reads files of a process for which the kernel locks its memory. nullopt = timeout; they are then not read for some
  // time.
  std::optional<TimedReader::Answer> ReadLocked(Tracked* tracked, std::initializer_list<std::string_view> names);
  // Removes ended processes and adds their CPU time to their parents'.
  void RemoveEnded(const std::vector<Tracked*>& ended, int64_t epoch_ns, NodeSegment* segment);

  void Describe(Tracked* tracked);
  bool IsRoot(const Tracked& tracked) const;
  bool IsWritten(const Tracked& tracked) const { return with_others_ || tracked.is_in_tree; }
  Tracked* ParentOf(const Tracked& tracked) const;
  // Derives types, applications and executors from kinds, parents and containers.
  void Resolve();
  void ResolveOne(const std::map<std::string, std::string>& executors, Tracked* tracked);
  // Finds a driver's application by its event log or its executors on this host, and programs with embedded Spark.
  void SeekSpark(Tracked* tracked);

  void Write(const Tracked& tracked, int64_t epoch_ns, NodeSegment* segment) const;
  void Put(Measure measure, int64_t value, int64_t epoch_ns, Tracked* tracked, NodeSegment* segment);
  void PutValues(int64_t epoch_ns, Tracked* tracked, NodeSegment* segment);
  void PutIo(int64_t epoch_ns, Tracked* tracked, NodeSegment* segment);
  void PutStatus(int64_t epoch_ns, Tracked* tracked, NodeSegment* segment);
  void PutConnections(int64_t epoch_ns, Tracked* tracked, NodeSegment* segment);
  void PutMemory(int64_t epoch_ns, Tracked* tracked, NodeSegment* segment);

  const std::string& UserName(int64_t user_id);

  ProcFolder proc_;
  MonitorRoots roots_;
  const bool with_others_;
  const bool tracks_all_;                            // whether any process may become a root
  std::vector<std::unique_ptr<Tracked>> processes_;  // parents before children
  std::unordered_map<int64_t, Tracked*> by_pid_;
  NewProcesses new_processes_;
  size_t open_files_ = 0;
  int64_t now_ns_ = 0;     // CLOCK_MONOTONIC of the current tick
  int64_t before_ns_ = 0;  // CLOCK_MONOTONIC of the previous tick
  bool kinds_changed_ = false;
  int64_t ended_ = 0;
  std::map<int64_t, std::string> users_;
  std::map<std::string, std::set<int64_t>> established_;  // sockets by network namespace, valid for one tick
  // Remaining CPU time budget for memory readings of Spark's processes and of others.
  int64_t spark_credit_ns_;
  int64_t other_credit_ns_;
  static constexpr int64_t kMaxMemoryCreditNs = 50'000'000;  // limit per budget
  TimedReader timed_reader_;
  int64_t lost_readings_ = 0;
  std::array<char, 4096> buffer_;
};

}  // namespace sparkprof
