// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"
#include "cpython/layout.h"

namespace sparkprof {

// Where the Python that this library is loaded into keeps its stacks.
struct OwnPython {
  CPythonLayout layout;
  uint64_t runtime = 0;
  uint64_t code_type = 0;
};

// The address of a symbol that the process exports; 0 if it exports none of this name.
uint64_t AddressOf(const char* symbol);

// `version_hex` is its sys.hexversion. To be called by one of its threads, which may allocate.
Result<OwnPython> FindOwnPython(uint32_t version_hex);

}  // namespace sparkprof
