// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/io/file.h"
#include "capture/proc_folder.h"

namespace sparkprof {

// Finds new processes. Lists /proc only after the kernel has assigned a new ID. Not thread-safe.
class NewProcesses {
 public:
  explicit NewProcesses(const ProcFolder& proc);

  // IDs that are new since the last listing, sorted; at every 64th call all IDs, because they are reused. The result is
  // valid until the next call.
  const std::vector<int64_t>& Find(const ProcFolder& proc);

  // Call when a process has ended: its ID may be reused.
  void Forget(int64_t pid);

 private:
  bool MayHaveNew();

  FileDescriptor loadavg_;
  std::vector<int64_t> seen_;  // IDs of the last listing, sorted
  std::vector<int64_t> ids_;   // members, to reuse their memory
  std::vector<int64_t> new_;
  int calls_ = 0;
  int64_t newest_[2] = {-1, -1};  // newest IDs of the last two calls, later one first
};

}  // namespace sparkprof
