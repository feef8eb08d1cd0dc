// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "capture/command_line.h"
#include "capture/proc.h"

namespace sparkprof {

// What one process used, at one moment.
struct ProcessReading {
  int64_t pid = 0;
  int64_t start_ticks = 0;
  int64_t parent_pid = 0;  // when first seen: an orphan stays with who started it
  ProcessRole role = ProcessRole::kOther;
  std::string command;  // for people, see CommandForPeople
  int64_t cpu_ns = 0;
  int64_t children_cpu_ns = 0;  // of children that ended and were waited for
  int64_t rss_bytes = 0;
  int64_t threads = 0;
  bool has_io = false;  // the kernel lets only the owner read it
  int64_t read_bytes = 0;
  int64_t write_bytes = 0;
};

// Follows a JVM and its descendants through /proc, and where a Python program started the JVM to run Spark (Py4J's
// gateway: `python job.py`, a notebook) that program and its descendants. Cheap: the host's processes are listed only
// when one was started, a process outside the tree is looked at once when it appears (and again every 64 scans, for
// process ids come back), one inside is read through files that stay open. A descendant stays one when its parent ends.
// Not seen: a process that comes and goes between two scans; its CPU time is in its parent's children_cpu_ns.
class ProcessTree {
 public:
  // `agent_pid` gets the role of the agent.
  ProcessTree(int64_t root_pid, int64_t agent_pid);

  // Readings of all processes of the tree that live, the JVM first if it lives.
  std::vector<ProcessReading> Scan();

  // Descendants that were left out because there were too many at once.
  int64_t Ignored() const { return ignored_; }

  // Two files stay open for each.
  static constexpr size_t kMaxProcesses = 256;

 private:
  struct Tracked {
    ProcessReading reading;
    std::string stat_command;
    FileDescriptor stat;
    FileDescriptor io;
  };

  bool MayHaveNew();
  void FindNew();
  bool Track(const ProcessStat& stat);
  bool Read(Tracked* process);
  void Update(Tracked* process, const ProcessStat& stat);

  bool IsPythonDriver(const Tracked& process) const;

  const int64_t root_pid_;
  const int64_t agent_pid_;
  const int64_t launcher_pid_;  // the Python program that started the JVM; 0 = none did
  std::map<int64_t, Tracked> tracked_;
  std::vector<int64_t> seen_;  // process ids of the last scan, sorted
  int scans_ = 0;
  FileDescriptor loadavg_;
  int64_t newest_[2] = {-1, -1};  // process ids that were given last at the two scans before, the later one first
  int64_t ignored_ = 0;
};

}  // namespace sparkprof
