// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"
#include "cpython/layout.h"

namespace sparkprof {

// Location of the stacks in the Python that loaded this library.
struct OwnPython {
  CPythonLayout layout;
  uint64_t runtime = 0;
  uint64_t code_type = 0;
};

// The address of a symbol exported by the process; 0 if there is none.
uint64_t AddressOf(const char* symbol);

// `version_hex` is sys.hexversion. Call from a Python thread, which may allocate.
Result<OwnPython> FindOwnPython(uint32_t version_hex);

}  // namespace sparkprof
