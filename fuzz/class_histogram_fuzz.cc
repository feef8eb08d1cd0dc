// SPDX-License-Identifier: Apache-2.0
#include "formats/class_histogram/class_histogram.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto histogram = sparkprof::ReadClassHistogram({reinterpret_cast<const char*>(data), size});
  if (!histogram) return 0;
  for (const auto& row : histogram->classes) {
    if (row.objects.instances < 0 || row.objects.bytes < 0) __builtin_trap();
  }
  return 0;
}
