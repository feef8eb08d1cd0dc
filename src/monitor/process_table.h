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

#include "base/file.h"
#include "capture/new_processes.h"
#include "capture/proc.h"
#include "capture/proc_folder.h"
#include "capture/timed_reader.h"
#include "monitor/node_segment.h"
#include "monitor/process_measures.h"
#include "spark/process_kind.h"

namespace sparkprof {

// Which processes are read at each tick, with their descendants. Others are read less often, or not at all.
struct MonitorRoots {
  std::vector<int64_t> pids;
  bool node_managers = false;
  bool workers = false;  // of standalone clusters
  bool pods = false;     // processes in a Kubernetes control group
  bool spark = false;    // any process of Spark
};

// The processes of a host, read from /proc. Files of processes stay open between two ticks, and a tick allocates
// memory only for new processes and changed values. Not thread-safe.
class ProcessTable {
 public:
  ProcessTable(ProcFolder proc, MonitorRoots roots, bool with_others);

  // Reads the tree, and with `others` the other processes, and writes what changed.
  void Tick(int64_t epoch_ns, bool others, NodeSegment* segment);

  // Writes everything about the processes that live: the recording ends.
  void Finish(int64_t epoch_ns, NodeSegment* segment);
  // Processes are written again from the next tick on: another recording begins.
  void Restart();

  // Processes of the tree that run: without those that only wait for their parent.
  size_t TreeSize() const;
  size_t Size() const { return processes_.size(); }
  // Processes of the tree that ended, since the table was made.
  int64_t Ended() const { return ended_; }

  // A process at the last tick.
  struct Now {
    const Process& process;
    const std::array<Curve, kMeasures>& curves;
    // The last one that was read; nothing = none so far.
    std::optional<double> Value(Measure measure) const;
  };
  // Processes of the tree that run, parents before children.
  void ForEachOfTree(const std::function<void(const Now& now)>& visit) const;

  // Readings that the kernel did not answer in time, since the table was made.
  int64_t LostReadings() const { return lost_readings_; }

  // Control groups of the tree, with the number of its processes in each.
  std::map<std::string, int64_t> ControlGroups() const;

  // Files of processes that stay open; beyond that, they are opened for each reading.
  static constexpr size_t kMaxOpenFiles = 4096;

 private:
  // When something that is not read at each tick was read, and what its process had done by then.
  struct LastReading {
    int64_t at_ns = std::numeric_limits<int64_t>::min() / 2;  // CLOCK_MONOTONIC
    int64_t activity = -1;

    // After `interval_ns`, or later when the process has done nothing since.
    bool IsOld(int64_t now_ns, int64_t now_activity, int64_t interval_ns, int64_t idle_interval_ns) const {
      return now_ns - at_ns >= (now_activity == activity ? idle_interval_ns : interval_ns);
    }
  };

  struct Tracked {
    Process process;         // as written, or to be written
    ProcessKind kind;        // by what the process itself shows
    int64_t parent_pid = 0;  // now; process.parent_pid is the first
    int64_t first_ns = 0;    // CLOCK_MONOTONIC of the first tick
    bool is_in_tree = false;
    bool is_changed = true;          // `process` has to be written
    bool is_described = false;       // by its command line and environment
    bool has_values = false;         // `stat` is of this tick
    int64_t listed_children_ns = 0;  // CPU time of ended children that have rows
    std::string stat_text;           // as read; most processes sleep, and theirs stays the same
    ProcessStat stat;
    FileDescriptor stat_file;
    FileDescriptor io_file;
    // CLOCK_MONOTONIC of the next readings of what is not read at each tick.
    int64_t next_describe_ns = 0;
    int64_t next_seek_ns = 0;
    int64_t next_locked_ns = 0;
    LastReading io;
    LastReading connections;
    LastReading status;
    int64_t status_rss_bytes = 0;  // when the status was read
    LastReading memory;
    int64_t memory_rss_bytes = 0;  // when the memory was read
    int64_t memory_cost_ns = 0;    // CPU time of that reading
    std::array<Curve, kMeasures> curves;

    CurveOwner Owner() const { return {process.pid, process.start_ticks}; }
    int64_t CpuNanos() const;
    int64_t ChildrenNanos() const;
    // Grows when the process runs: clock ticks and page faults.
    int64_t Activity() const;
  };

  void FindNew(int64_t epoch_ns);
  void Add(int64_t pid, int64_t epoch_ns);
  // False when the process has ended.
  bool Read(Tracked* tracked);
  std::string_view ReadProc(const Tracked& tracked, const FileDescriptor& file, const char* name);
  // Files of a process for which the kernel takes the lock of its memory. Nothing = it does not answer; then they are
  // not read again for some time.
  std::optional<TimedReader::Answer> ReadLocked(Tracked* tracked, std::initializer_list<std::string_view> names);
  // Removes processes that have ended, after adding their CPU time to their parents'.
  void RemoveEnded(const std::vector<Tracked*>& ended, int64_t epoch_ns, NodeSegment* segment);

  void Describe(Tracked* tracked);
  bool IsRoot(const Tracked& tracked) const;
  bool IsWritten(const Tracked& tracked) const { return with_others_ || tracked.is_in_tree; }
  Tracked* ParentOf(const Tracked& tracked) const;
  // Types, applications and executors by kinds, parents and containers.
  void Resolve();
  void ResolveOne(const std::map<std::string, std::string>& executors, Tracked* tracked);
  // A driver's application by its event log or by its executors on this host; a program that has Spark inside.
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
  const bool tracks_all_;                            // any process may become a root
  std::vector<std::unique_ptr<Tracked>> processes_;  // parents before children
  std::unordered_map<int64_t, Tracked*> by_pid_;
  NewProcesses new_processes_;
  size_t open_files_ = 0;
  int64_t now_ns_ = 0;     // CLOCK_MONOTONIC of the tick
  int64_t before_ns_ = 0;  // and of the one before
  bool kinds_changed_ = false;
  int64_t ended_ = 0;
  std::map<int64_t, std::string> users_;
  std::map<std::string, std::set<int64_t>> established_;  // sockets by network namespace, of one tick
  // CPU time that readings of memory may take from now on: of Spark's processes, and of others.
  int64_t spark_credit_ns_;
  int64_t other_credit_ns_;
  static constexpr int64_t kMaxMemoryCreditNs = 50'000'000;  // of each
  TimedReader timed_reader_;
  int64_t lost_readings_ = 0;
  std::array<char, 4096> buffer_;
};

}  // namespace sparkprof
