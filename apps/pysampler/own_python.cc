// SPDX-License-Identifier: Apache-2.0
#include "own_python.h"

#include <dlfcn.h>

#include "cpython/thread_id.h"

namespace sparkprof {

uint64_t AddressOf(const char* symbol) { return reinterpret_cast<uint64_t>(dlsym(RTLD_DEFAULT, symbol)); }

Result<OwnPython> FindOwnPython(uint32_t version_hex) {
  const uint64_t runtime = AddressOf("_PyRuntime");
  if (runtime == 0) return Fail("this Python does not export _PyRuntime: not CPython, or a stripped static build");
  const Result<CPythonLayout> layout =
      LayoutFor(version_hex, {reinterpret_cast<const char*>(runtime), kDebugOffsetsSize});
  if (!layout) return tl::unexpected(layout.error());
  ThreadIdOffset();  // initializes it while allocation is allowed
  return OwnPython{*layout, runtime, AddressOf("PyCode_Type")};
}

}  // namespace sparkprof
