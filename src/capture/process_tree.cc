// SPDX-License-Identifier: Apache-2.0
#include "capture/process_tree.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/redaction/redaction.h"

namespace sparkprof {
namespace {

// The plugin names the agent's file "sparkprof-agent-…"; the kernel keeps 15 bytes.
constexpr std::string_view kAgentCommand = "sparkprof-agent";

bool HasVariable(int64_t pid, std::string_view name_and_equals) {
  const auto environment = ReadFile("/proc/" + std::to_string(pid) + "/environ");
  if (!environment) return false;
  return !VariableOf(*environment, name_and_equals).empty();
}

bool RunsPython(int64_t pid) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", error);
  return !error && program.filename().native().starts_with("python");
}

int64_t LauncherOf(int64_t jvm_pid) {
  const auto stat = ReadProcessStat(jvm_pid);
  return stat && HasVariable(jvm_pid, kGatewayVariable) && RunsPython(stat->parent_pid) ? stat->parent_pid : 0;
}

}  // namespace

ProcessTree::ProcessTree(int64_t root_pid, int64_t agent_pid)
    : root_pid_(root_pid), agent_pid_(agent_pid), launcher_pid_(LauncherOf(root_pid)), new_processes_(proc_) {}

std::vector<ProcessReading> ProcessTree::Scan() {
  for (auto process = tracked_.begin(); process != tracked_.end();) {
    process = Read(&process->second) ? std::next(process) : tracked_.erase(process);
  }
  FindNew();
  LeaveToOtherAgents();
  std::vector<ProcessReading> readings;
  readings.reserve(tracked_.size());
  for (const auto& [pid, process] : tracked_) readings.push_back(process.reading);
  std::stable_partition(readings.begin(), readings.end(),
                        [&](const ProcessReading& reading) { return reading.pid == root_pid_; });
  return readings;
}

void ProcessTree::FindNew() {
  std::vector<ProcessStat> fresh;
  for (const int64_t id : new_processes_.Find(proc_)) {
    if (tracked_.contains(id)) continue;
    if (auto stat = ReadProcessStat(id); stat && stat->state != 'Z') fresh.push_back(std::move(*stat));
  }
  // Parents before children, regardless of their IDs.
  for (bool found = true; found;) {
    found = false;
    for (auto stat = fresh.begin(); stat != fresh.end();) {
      if (stat->pid != root_pid_ && stat->pid != launcher_pid_ && !tracked_.contains(stat->parent_pid)) {
        ++stat;
        continue;
      }
      found = Track(*stat) || found;
      stat = fresh.erase(stat);
    }
  }
}

void ProcessTree::LeaveToOtherAgents() {
  std::vector<int64_t> theirs;
  for (const auto& [pid, process] : tracked_) {
    if (pid == agent_pid_ || process.stat_command != kAgentCommand) continue;
    const int64_t jvm = process.reading.parent_pid;
    if (jvm != root_pid_ && jvm != launcher_pid_) theirs.push_back(jvm);
  }
  for (const int64_t jvm : theirs) {
    const auto process = tracked_.find(jvm);
    if (process == tracked_.end()) continue;
    left_to_others_[jvm] = process->second.reading.start_ticks;
    Forget(jvm);
  }
}

void ProcessTree::Forget(int64_t pid) {
  tracked_.erase(pid);
  std::vector<int64_t> children;
  for (const auto& [child, process] : tracked_) {
    if (process.reading.parent_pid == pid) children.push_back(child);
  }
  for (const int64_t child : children) Forget(child);
}

bool ProcessTree::Track(const ProcessStat& stat) {
  const auto left = left_to_others_.find(stat.pid);
  if (left != left_to_others_.end() && left->second == stat.start_ticks) return false;
  if (tracked_.size() >= kMaxProcesses) {
    ++ignored_;
    return false;
  }
  Tracked process;
  process.reading.pid = stat.pid;
  process.reading.start_ticks = stat.start_ticks;
  process.reading.parent_pid = stat.parent_pid;
  process.stat = proc_.Open(stat.pid, "stat");
  if (!process.stat.IsOpen() && (errno == EMFILE || errno == ENFILE)) ++ignored_;
  process.io = proc_.Open(stat.pid, "io");
  if (!Read(&process)) return false;
  tracked_.emplace(stat.pid, std::move(process));
  return true;
}

bool ProcessTree::Read(Tracked* process) {
  char buffer[2048];
  const std::string name = "/proc/" + std::to_string(process->reading.pid);
  const auto stat = ParseProcessStat(ReadAgain(process->stat, buffer, sizeof buffer), name + "/stat");
  if (!stat || stat->state == 'Z' || stat->start_ticks != process->reading.start_ticks) return false;
  Update(process, *stat);
  const auto io = ParseProcessIo(ReadAgain(process->io, buffer, sizeof buffer), name + "/io");
  process->reading.has_io = io.has_value();
  if (io) {
    process->reading.read_bytes = io->read_bytes;
    process->reading.write_bytes = io->write_bytes;
  }
  return true;
}

void ProcessTree::Update(Tracked* process, const ProcessStat& stat) {
  static const int64_t page_size = sysconf(_SC_PAGESIZE);
  ProcessReading& reading = process->reading;
  reading.cpu_ns = NanosOfTicks(stat.user_ticks + stat.system_ticks);
  reading.children_cpu_ns = NanosOfTicks(stat.children_user_ticks + stat.children_system_ticks);
  reading.rss_bytes = stat.rss_pages * page_size;
  reading.threads = stat.threads;
  // Between fork and exec a process has its parent's command, so it is read again when the name changes.
  if (process->stat_command == stat.command && !reading.command.empty()) return;
  process->stat_command = stat.command;
  const auto cmdline = ReadFile("/proc/" + std::to_string(stat.pid) + "/cmdline");
  reading.command =
      cmdline && !cmdline->empty() ? CommandForPeople(*cmdline) : RedactText(TextForPeople("[" + stat.command + "]"));
  if (stat.pid == root_pid_) {
    reading.role = ProcessRole::kJvm;
  } else if (stat.pid == agent_pid_) {
    reading.role = ProcessRole::kAgent;
  } else {
    const auto parent = tracked_.find(reading.parent_pid);
    const ProcessRole parent_role = parent == tracked_.end() ? ProcessRole::kOther : parent->second.reading.role;
    reading.role = RoleOfCommand(cmdline.value_or(""), parent_role);
    if (reading.role == ProcessRole::kOther && IsPythonDriver(*process)) reading.role = ProcessRole::kPythonDriver;
  }
}

bool ProcessTree::IsPythonDriver(const Tracked& process) const {
  if (process.reading.pid == launcher_pid_) return true;
  if (launcher_pid_ != 0 || !RunsPython(process.reading.pid) || !HasVariable(process.reading.pid, kProgramVariable)) {
    return false;
  }
  // Child processes inherit the variable.
  for (auto parent = tracked_.find(process.reading.parent_pid); parent != tracked_.end();
       parent = tracked_.find(parent->second.reading.parent_pid)) {
    if (parent->second.reading.role == ProcessRole::kPythonDriver) return false;
  }
  return true;
}

}  // namespace sparkprof
