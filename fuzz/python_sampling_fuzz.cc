// SPDX-License-Identifier: Apache-2.0
#include "profile_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sparkprof::ReadFuzzed("python-jsonl", data, size);
  return 0;
}
