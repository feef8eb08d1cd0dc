// SPDX-License-Identifier: Apache-2.0
#include "capture/jvm_attach/target_process.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "capture/proc.h"

namespace sparkprof {
namespace {

// Values after "Key:" in /proc/PID/status, split at spaces.
std::vector<std::string_view> StatusValues(std::string_view status, std::string_view key) {
  for (const std::string_view line : Split(status, '\n')) {
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ':') continue;
    std::vector<std::string_view> values;
    std::string_view rest = line.substr(key.size() + 1);
    while (true) {
      const size_t start = rest.find_first_not_of(" \t");
      if (start == std::string_view::npos) return values;
      const size_t end = std::min(rest.find_first_of(" \t", start), rest.size());
      values.push_back(rest.substr(start, end - start));
      rest.remove_prefix(end);
    }
  }
  return {};
}

}  // namespace

Result<TargetProcess> InspectTarget(int64_t pid) {
  const std::string process = "process " + std::to_string(pid);
  const std::string folder = "/proc/" + std::to_string(pid);
  const Result<ProcessStat> stat = ReadProcessStat(pid);
  if (!stat) return Fail(process + " does not exist; `sparkprof attach --all-jvms` lists the JVMs of this host");
  if (stat->state == 'Z') return Fail(process + " has exited");
  const Result<std::string> status = ReadFile(folder + "/status");
  if (!status) return tl::unexpected(status.error());
  TargetProcess target{.pid = pid, .namespace_pid = pid, .start_ticks = stat->start_ticks};
  const auto uids = StatusValues(*status, "Uid");
  const auto gids = StatusValues(*status, "Gid");
  if (uids.size() < 2 || gids.size() < 2) return Fail(folder + "/status: expected Uid and Gid with four numbers each");
  target.uid = static_cast<uid_t>(ParseInteger(uids[1]).value_or(0));
  target.gid = static_cast<gid_t>(ParseInteger(gids[1]).value_or(0));
  // Kernels before 4.1 have no NSpid.
  const auto namespace_pids = StatusValues(*status, "NSpid");
  if (!namespace_pids.empty()) target.namespace_pid = ParseInteger(namespace_pids.back()).value_or(pid);
  const auto caught = StatusValues(*status, "SigCgt");
  if (!caught.empty()) {
    const std::string mask(caught[0]);
    target.catches_quit = (std::strtoull(mask.c_str(), nullptr, 16) & (1ULL << (SIGQUIT - 1))) != 0;
  }
  Result<std::string> maps = ReadFile(folder + "/maps");
  if (!maps) return tl::unexpected(NotPermitted(pid));
  target.maps = std::move(*maps);
  if (target.maps.find("/libjvm.so") == std::string::npos) {
    return Fail(process + " (" + stat->command + ") is not a HotSpot JVM: libjvm.so is not loaded");
  }
  return target;
}

bool IsAlive(const TargetProcess& target) {
  const Result<ProcessStat> stat = ReadProcessStat(target.pid);
  return stat && stat->state != 'Z' && stat->start_ticks == target.start_ticks;
}

Result<FileDescriptor> OpenFolderOf(const TargetProcess& target, const std::string& path) {
  const std::string root_path = "/proc/" + std::to_string(target.pid) + "/root";
  const FileDescriptor root(open(root_path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.IsOpen()) {
    if (errno == EACCES || errno == EPERM) return tl::unexpected(NotPermitted(target.pid));
    return tl::unexpected(SystemError(root_path, "cannot open"));
  }
  constexpr int kFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  open_how how{.flags = kFlags, .mode = 0, .resolve = RESOLVE_IN_ROOT};
  const std::string relative = path.size() > 1 ? path.substr(1) : ".";
  int fd = static_cast<int>(syscall(SYS_openat2, root.Get(), relative.c_str(), &how, sizeof how));
  // Kernels before 5.6 or a seccomp filter: reject at least a symbolic link at the end.
  if (fd < 0 && (errno == ENOSYS || errno == EPERM)) fd = openat(root.Get(), relative.c_str(), kFlags | O_NOFOLLOW);
  if (fd < 0) return tl::unexpected(SystemError(root_path + path, "cannot open"));
  return FileDescriptor(fd);
}

// Uses raw system calls: the C library's functions change all threads.
ActAs::ActAs(const TargetProcess& target) : own_uid_(geteuid()), own_gid_(getegid()) {
  if (own_uid_ != 0 || (target.uid == 0 && target.gid == own_gid_)) return;
  changed_ = syscall(SYS_setresgid, -1, target.gid, -1) == 0;
  changed_ = syscall(SYS_setresuid, -1, target.uid, -1) == 0 || changed_;
}

ActAs::~ActAs() {
  if (!changed_) return;
  syscall(SYS_setresuid, -1, own_uid_, -1);
  syscall(SYS_setresgid, -1, own_gid_, -1);
}

}  // namespace sparkprof
