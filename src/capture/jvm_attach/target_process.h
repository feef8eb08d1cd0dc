// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace sparkprof {

// A JVM that is to be attached to, as its container sees it.
struct TargetProcess {
  int64_t pid = 0;            // in our pid namespace
  int64_t namespace_pid = 0;  // PID in its innermost namespace
  int64_t start_ticks = 0;    // since boot: with the pid, who it is
  uid_t uid = 0;              // effective, as our user namespace numbers them
  gid_t gid = 0;
  bool catches_quit = false;  // SIGQUIT does not kill it
  std::string maps;           // /proc/PID/maps
};

// Reads it from /proc. Errors include the fix: no such process, not a JVM (libjvm.so is not mapped), not permitted.
Result<TargetProcess> InspectTarget(int64_t pid);

// The process is still the one that was inspected.
bool IsAlive(const TargetProcess& target);

// Opens `path` (absolute, as the target names it) in the target's root and mount namespace, for use as a directory
// only (O_PATH). Symbolic links are resolved inside that root, so that a container cannot point outside.
Result<FileDescriptor> OpenFolderOf(const TargetProcess& target, const std::string& path);

// While it lives, this thread has the target's effective user and group, which a JVM demands of whom it listens to.
// Only root can change; others stay who they are. Other threads are not concerned.
class ActAs {
 public:
  explicit ActAs(const TargetProcess& target);
  ~ActAs();
  ActAs(const ActAs&) = delete;
  ActAs& operator=(const ActAs&) = delete;

 private:
  const uid_t own_uid_;
  const gid_t own_gid_;
  bool changed_ = false;
};

}  // namespace sparkprof
