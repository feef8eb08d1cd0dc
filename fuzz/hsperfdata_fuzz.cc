// SPDX-License-Identifier: Apache-2.0
#include "capture/hsperfdata.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto parsed = sparkprof::ParseHsperfdata({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!parsed) return 0;
  (void)parsed->Number("sun.gc.collector.0.time");
  (void)parsed->Text("sun.rt.javaCommand");
  return 0;
}
