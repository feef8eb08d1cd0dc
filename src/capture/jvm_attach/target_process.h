// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/io/file.h"
#include "base/result.h"

namespace sparkprof {

// A JVM to attach to, as its container sees it.
struct TargetProcess {
  int64_t pid = 0;            // PID in our namespace
  int64_t namespace_pid = 0;  // PID in its innermost namespace
  int64_t start_ticks = 0;    // since boot; identifies the process together with the PID
  uid_t uid = 0;              // effective user in our user namespace
  gid_t gid = 0;
  bool catches_quit = false;  // whether it handles SIGQUIT, which kills it otherwise
  std::string maps;           // /proc/PID/maps
};

// Reads the process from /proc. Errors include the fix: no such process, not a JVM (libjvm.so is not mapped), not
// permitted.
Result<TargetProcess> InspectTarget(int64_t pid);

bool IsAlive(const TargetProcess& target);

// Opens `path` (absolute, in the target's file system) as a directory (O_PATH) in the target's root and mount
// namespace. Symbolic links are resolved inside that root, so a container cannot point outside.
Result<FileDescriptor> OpenFolderOf(const TargetProcess& target, const std::string& path);

// Gives this thread the target's effective user and group while the object exists: a JVM accepts requests only from its
// own user. Has no effect unless run as root. Other threads are not affected.
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
