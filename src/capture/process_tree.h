// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "capture/command_line.h"
#include "capture/new_processes.h"
#include "capture/proc.h"
#include "capture/proc_folder.h"

namespace sparkprof {

struct ProcessReading {
  int64_t pid = 0;
  int64_t start_ticks = 0;
  int64_t parent_pid = 0;  // parent when first seen; does not change for orphans
  ProcessRole role = ProcessRole::kOther;
  std::string command;  // result of CommandForPeople
  int64_t cpu_ns = 0;
  int64_t children_cpu_ns = 0;  // CPU time of ended children that were waited for
  int64_t rss_bytes = 0;
  int64_t threads = 0;
  bool has_io = false;  // false if the kernel denies access
  int64_t read_bytes = 0;
  int64_t write_bytes = 0;
};

// Tracks a JVM and its descendants through /proc and, if a Python program started the JVM (Py4J's gateway: `python
// job.py`, a notebook), that program and its descendants. Cheap: it lists processes only after a new process has
// started, inspects a process outside the tree once (and again every 64 scans, because PIDs are reused), and reads
// processes in the tree through open files. A descendant JVM with an agent of its own (an executor of local-cluster) is
// left to that agent, with its descendants. A descendant stays in the tree when its parent exits. A process that starts
// and exits between two scans is missed; its CPU time is in its parent's children_cpu_ns.
class ProcessTree {
 public:
  // The process `agent_pid` gets the agent's role.
  ProcessTree(int64_t root_pid, int64_t agent_pid);

  // Readings of all running processes of the tree, the JVM first if it is running.
  std::vector<ProcessReading> Scan();

  // Number of descendants omitted because of the limit.
  int64_t Ignored() const { return ignored_; }

  // Each process needs two open files.
  static constexpr size_t kMaxProcesses = 256;

 private:
  struct Tracked {
    ProcessReading reading;
    std::string stat_command;
    FileDescriptor stat;
    FileDescriptor io;
  };

  void FindNew();
  void LeaveToOtherAgents();
  void Forget(int64_t pid);
  bool Track(const ProcessStat& stat);
  bool Read(Tracked* process);
  void Update(Tracked* process, const ProcessStat& stat);

  bool IsPythonDriver(const Tracked& process) const;

  ProcFolder proc_;
  const int64_t root_pid_;
  const int64_t agent_pid_;
  const int64_t launcher_pid_;  // Python program that started the JVM; 0 = none
  std::map<int64_t, Tracked> tracked_;
  std::map<int64_t, int64_t> left_to_others_;  // JVMs with their own agent: start ticks by PID
  NewProcesses new_processes_;
  int64_t ignored_ = 0;
};

}  // namespace sparkprof
