// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/io/file.h"
#include "base/text/text.h"
#include "launch/check.h"
#include "launch/folder_checks.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kEnoughDisk = int64_t{1} << 30;
constexpr int64_t kLeastDisk = int64_t{64} << 20;

// First line of a small file in /proc or /sys; empty if unreadable.
std::string Line(const std::string& path) {
  const auto text = ReadFile(path);
  return text ? std::string(Trim(Split(*text, '\n').front())) : "";
}

// Returns 0 if this user may sample its own processes including kernel frames, else errno.
int TryPerfEvents() {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.sample_period = 10'000'000;
  attributes.sample_type = PERF_SAMPLE_CALLCHAIN;
  attributes.disabled = 1;
  const FileDescriptor event(static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, 0, -1, -1, static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC))));
  return event.IsOpen() ? 0 : errno;
}

bool ShowsAddresses() {
  const std::string first = Line("/proc/kallsyms");
  return !first.empty() && !first.starts_with("0000000000000000");
}

Check CheckPtrace() {
  const std::string scope = Line("/proc/sys/kernel/yama/ptrace_scope");
  if (scope.empty() || scope == "0") return {"ptrace", CheckStatus::kOk, "processes of the same user are readable", ""};
  if (geteuid() == 0 && scope != "3") {
    return {"ptrace", CheckStatus::kOk, fmt::format("kernel.yama.ptrace_scope is {}; it does not restrict root", scope),
            ""};
  }
  return {
      "ptrace", CheckStatus::kOk,
      fmt::format(
          "kernel.yama.ptrace_scope is {}: `dump` and `attach --python` cannot read running processes; `sparkprof run` "
          "is not affected",
          scope),
      ""};
}

Check CheckMemoryFile() {
  const FileDescriptor file(static_cast<int>(syscall(SYS_memfd_create, "sparkprof-doctor", MFD_CLOEXEC)));
  if (file.IsOpen()) return {"memory files", CheckStatus::kOk, "memfd_create works", ""};
  return {"memory files", CheckStatus::kMissing,
          fmt::format("memfd_create fails ({}): the JVM cannot pass samples to the agent", std::strerror(errno)),
          "use Linux 3.17 or later, and a container profile that permits memfd_create"};
}

Check CheckJvmCounters(const DoctorRequest& request) {
  for (const char* name : {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"}) {
    const auto found = request.environment.find(name);
    if (found == request.environment.end()) continue;
    for (const char* option : {"-XX:-UsePerfData", "-XX:+PerfDisableSharedMem"}) {
      if (found->second.find(option) == std::string::npos) continue;
      return {"JVM counters", CheckStatus::kLimited,
              fmt::format("{} has {}: no metrics of heap, garbage collection and class loading", name, option),
              "remove the option for profiled runs"};
    }
  }
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/tmp", error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("hsperfdata_")) continue;
    const auto owner = fs::status(entry.path(), error);
    if (!error && fs::is_directory(owner) && access(entry.path().c_str(), R_OK | X_OK) == 0) {
      return {"JVM counters", CheckStatus::kOk, entry.path().string() + " is readable", ""};
    }
  }
  return {"JVM counters", CheckStatus::kOk, "no JVM of this user has run yet; JVMs create /tmp/hsperfdata_USER", ""};
}

Check CheckDisk(const std::string& folder) {
  struct statvfs status;
  std::error_code error;
  fs::path existing = fs::absolute(folder, error).lexically_normal();
  if (!existing.has_filename()) existing = existing.parent_path();
  while (!fs::exists(existing, error) && existing.has_relative_path()) existing = existing.parent_path();
  const std::string place = existing.string();
  if (statvfs(place.c_str(), &status) != 0 || access(place.c_str(), W_OK) != 0) {
    return {"output folder", CheckStatus::kMissing, fmt::format("cannot write to {}: {}", place, std::strerror(errno)),
            "use --output-dir with a writable folder"};
  }
  const int64_t free_bytes = static_cast<int64_t>(status.f_bavail) * static_cast<int64_t>(status.f_frsize);
  const std::string text = fmt::format("{} has {} free", place, FormatBytes(free_bytes));
  const std::string advice = "free disk space, or use --output-dir with a folder on another disk";
  if (free_bytes < kLeastDisk) return {"output folder", CheckStatus::kMissing, text, advice};
  if (free_bytes < kEnoughDisk)
    return {"output folder", CheckStatus::kLimited, text + ": too little for long jobs", advice};
  return {"output folder", CheckStatus::kOk, text, ""};
}

// Checks this process's cgroup limits, version 2 or 1.
Check CheckContainer() {
  std::string memory = Line("/sys/fs/cgroup/memory.max");
  if (memory.empty()) memory = Line("/sys/fs/cgroup/memory/memory.limit_in_bytes");
  const auto limit = ParseInteger(memory);
  // Version 1 writes "no limit" as a number near 2^63.
  const bool limited = limit && *limit < (int64_t{1} << 60);
  std::string text = limited ? "memory limit " + FormatBytes(*limit) : "no memory limit";
  const std::string cpu = Line("/sys/fs/cgroup/cpu.max");
  const auto parts = Split(cpu, ' ');
  const auto quota = ParseInteger(parts.front());
  const auto period = parts.size() == 2 ? ParseInteger(parts[1]) : std::nullopt;
  if (quota && period && *period > 0) {
    text += fmt::format(", {:.1f} CPUs", static_cast<double>(*quota) / static_cast<double>(*period));
  }
  if (limited && *limit < (int64_t{1} << 30)) {
    return {"container", CheckStatus::kLimited, text + ": tight for Spark and its agent",
            "set the container's memory to at least 1 GiB more than Spark's"};
  }
  return {"container", CheckStatus::kOk, text, ""};
}

}  // namespace

Check JudgePerfEvents(int error, const std::string& paranoid) {
  if (error == 0) return {"perf events", CheckStatus::kOk, "permitted: attach and cpu.kernel have kernel frames", ""};
  const std::string effect = "attach and cpu.kernel have no kernel frames";
  if (error == EACCES || error == EPERM) {
    const bool by_setting = ParseInteger(paranoid).value_or(0) > 1;
    return {"perf events", CheckStatus::kLimited,
            by_setting ? fmt::format("kernel.perf_event_paranoid is {}: {}", paranoid, effect)
                       : fmt::format("not permitted in this container: {}", effect),
            by_setting ? "sysctl kernel.perf_event_paranoid=1"
                       : "permit perf_event_open in the container's seccomp profile, or add CAP_PERFMON"};
  }
  return {"perf events", CheckStatus::kLimited, fmt::format("unavailable ({}): {}", std::strerror(error), effect), ""};
}

Check JudgeKernelNames(bool shows_addresses, const std::string& kptr_restrict, const std::string& paranoid) {
  if (shows_addresses) return {"kernel names", CheckStatus::kOk, "readable", ""};
  std::vector<std::string> reasons, advice;
  // 1 hides addresses from everyone without CAP_SYSLOG, 0 only from users who may not sample the kernel.
  if (ParseInteger(kptr_restrict).value_or(0) > 0) {
    reasons.push_back("kernel.kptr_restrict is " + kptr_restrict);
    advice.emplace_back("kernel.kptr_restrict=0");
  }
  if (ParseInteger(paranoid).value_or(0) > 1) {
    reasons.push_back("kernel.perf_event_paranoid is " + paranoid);
    advice.emplace_back("kernel.perf_event_paranoid=1");
  }
  if (reasons.empty()) reasons.emplace_back("/proc/kallsyms shows no addresses to this user");
  return {"kernel names", CheckStatus::kLimited,
          fmt::format("{}: kernel frames have no names", fmt::join(reasons, ", ")),
          advice.empty() ? std::string() : fmt::format("sysctl {}", fmt::join(advice, " "))};
}

std::vector<Check> CheckMachine(const DoctorRequest& request) {
  return {JudgePerfEvents(TryPerfEvents(), Line("/proc/sys/kernel/perf_event_paranoid")),
          JudgeKernelNames(ShowsAddresses(), Line("/proc/sys/kernel/kptr_restrict"),
                           Line("/proc/sys/kernel/perf_event_paranoid")),
          CheckPtrace(),
          CheckTemporaryFolders(TemporaryFolders({{"spark-submit"}, request.environment, "", {}})),
          CheckFileSize(),
          CheckMemoryFile(),
          CheckJvmCounters(request),
          CheckDisk(request.output),
          CheckContainer()};
}

}  // namespace sparkprof
