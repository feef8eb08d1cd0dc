// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace sparkprof {

// What decides whether one process may look into another one (ptrace(2), "Ptrace access mode checking").
struct LookPermission {
  bool is_root = false;      // who looks
  bool is_own = false;       // both are of the same user
  std::string user, owner;   // names
  std::string ptrace_scope;  // kernel.yama.ptrace_scope; empty where the kernel has none
};

// Why process `pid` may not be looked into, and what to do: one sentence.
std::string ExplainNotPermitted(int64_t pid, const LookPermission& permission);

// The same for this process and that one, as things are now.
Error NotPermitted(int64_t pid);

}  // namespace sparkprof
