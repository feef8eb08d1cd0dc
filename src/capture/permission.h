// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace sparkprof {

// The inputs of the kernel's check whether a process may read another one (ptrace(2), "Ptrace access mode checking").
struct LookPermission {
  bool is_root = false;      // of the reader
  bool is_own = false;       // both are of the same user
  std::string user, owner;   // names
  std::string ptrace_scope;  // kernel.yama.ptrace_scope; empty where the kernel has none
};

// One sentence: why process `pid` cannot be read, and the fix.
std::string ExplainNotPermitted(int64_t pid, const LookPermission& permission);

// The same for this process and that one, as things are now.
Error NotPermitted(int64_t pid);

}  // namespace sparkprof
