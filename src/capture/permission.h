// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace sparkprof {

// Inputs of the kernel's check whether a process may read another one (ptrace(2), "Ptrace access mode checking").
struct LookPermission {
  bool is_root = false;      // whether the reader is root
  bool is_own = false;       // whether both belong to one user
  std::string user, owner;   // user names of the reader and of the process
  std::string ptrace_scope;  // kernel.yama.ptrace_scope; empty if the kernel lacks it
};

// One sentence: why process `pid` cannot be read, and the fix.
std::string ExplainNotPermitted(int64_t pid, const LookPermission& permission);

// ExplainNotPermitted for this process's current permission.
Error NotPermitted(int64_t pid);

}  // namespace sparkprof
