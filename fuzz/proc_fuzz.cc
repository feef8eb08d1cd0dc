// SPDX-License-Identifier: Apache-2.0
// Files of /proc and of control groups, and what other processes write into theirs.
#include "capture/proc.h"
#include "monitor/host_readings.h"
#include "spark/process_kind.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)sparkprof::ParseProcessStat(text, "fuzz");
  (void)sparkprof::ParseProcessIo(text, "fuzz");
  (void)sparkprof::ParseMemoryShares(text, "fuzz");
  (void)sparkprof::ParseProcessStatus(text, "fuzz");
  (void)sparkprof::ParseCpuTimes(text);
  (void)sparkprof::ParseHostMemory(text);
  (void)sparkprof::ParseDisks(text);
  (void)sparkprof::ParseNetwork(text);
  (void)sparkprof::ParsePressure(text, "fuzz");
  const size_t half = size / 2;
  (void)sparkprof::FindProcessKind({text.substr(0, half), text.substr(half), text, "jvm_driver"});
  return 0;
}
