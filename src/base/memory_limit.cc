// SPDX-License-Identifier: Apache-2.0
#include "base/memory_limit.h"

#include <fmt/format.h>

namespace sparkprof {

constinit thread_local MemoryLimit* MemoryLimit::current_ = nullptr;

std::string TooLarge(size_t max_bytes) {
  return fmt::format("too large: expands to more than {} MiB", max_bytes >> 20);
}

}  // namespace sparkprof
