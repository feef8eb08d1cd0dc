// SPDX-License-Identifier: Apache-2.0
#include <pwd.h>
#include <unistd.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "base/io/file.h"
#include "base/text/text.h"
#include "capture/proc.h"

namespace sparkprof {
namespace {

std::string UserName(uid_t uid) {
  passwd entry{};
  passwd* found = nullptr;
  char buffer[4096];
  const bool known = getpwuid_r(uid, &entry, buffer, sizeof buffer, &found) == 0 && found != nullptr;
  return known ? std::string(entry.pw_name) : "#" + std::to_string(uid);
}

// The real user from /proc/PID/status: the folder itself belongs to root if the process is not dumpable.
std::optional<uid_t> OwnerOf(int64_t pid) {
  const Result<std::string> status = ReadFile("/proc/" + std::to_string(pid) + "/status");
  if (!status) return std::nullopt;
  constexpr std::string_view kKey = "\nUid:\t";
  const size_t at = status->find(kKey);
  if (at == std::string::npos) return std::nullopt;
  uid_t uid = 0;
  const char* const begin = status->data() + at + kKey.size();
  if (std::from_chars(begin, status->data() + status->size(), uid).ec != std::errc()) return std::nullopt;
  return uid;
}

}  // namespace

std::string ExplainNotPermitted(int64_t pid, const LookPermission& permission) {
  const std::string process = "process " + std::to_string(pid);
  const std::string& scope = permission.ptrace_scope;
  if (scope == "3") {
    return process + " cannot be read by any user: kernel.yama.ptrace_scope is 3 until this host restarts";
  }
  if (permission.is_root) {
    return process +
           " cannot be read even by root: this container lacks CAP_SYS_PTRACE (docker run --cap-add "
           "SYS_PTRACE), or "
           "a security module forbids it";
  }
  if (!permission.is_own) {
    return process + " belongs to " + permission.owner + " and cannot be read by " + permission.user +
           "; run sparkprof as that user or as root: sudo -u " + permission.owner + " sparkprof …";
  }
  if (scope == "2") return process + " can be read by root only: kernel.yama.ptrace_scope is 2; run sudo sparkprof …";
  if (scope == "1") {
    return process +
           " can be read only by root and its ancestors: kernel.yama.ptrace_scope is 1; run sparkprof as "
           "root: sudo sparkprof …, or permit the owner: sudo sysctl kernel.yama.ptrace_scope=0";
  }
  return process +
         " cannot be read by its own user: it has more privileges, is not dumpable (PR_SET_DUMPABLE), or a seccomp "
         "filter forbids it; run sparkprof as root: sudo sparkprof …";
}

Error NotPermitted(int64_t pid) {
  LookPermission permission;
  permission.is_root = geteuid() == 0;
  permission.user = UserName(geteuid());
  const std::optional<uid_t> owner = OwnerOf(pid);
  permission.is_own = owner == geteuid();
  permission.owner = owner ? UserName(*owner) : "another user";
  const Result<std::string> scope = ReadFile("/proc/sys/kernel/yama/ptrace_scope");
  if (scope) permission.ptrace_scope = Trim(*scope);
  return {ExplainNotPermitted(pid, permission)};
}

}  // namespace sparkprof
