// SPDX-License-Identifier: Apache-2.0
// Any bytes as a compressed stream: it ends, within its limits, and an error is the last that comes of it.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/decompress.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int64_t kMaxBytes = 1 << 20;
  sparkprof::ExpansionLimits limits;
  limits.max_bytes = kMaxBytes;
  const auto source = sparkprof::Decompress(
      sparkprof::ViewSource(std::string_view(reinterpret_cast<const char*>(data), size)), "fuzz", limits);
  char bytes[4096];
  int64_t expanded = 0;
  for (;;) {
    const sparkprof::Result<size_t> got = source->Read(bytes, sizeof bytes);
    if (!got) {
      const sparkprof::Result<size_t> after = source->Read(bytes, sizeof bytes);
      if (!after || *after != 0) std::abort();
      return 0;
    }
    if (*got == 0) return 0;
    expanded += static_cast<int64_t>(*got);
    if (expanded > kMaxBytes && sparkprof::DetectCodec(std::string_view(reinterpret_cast<const char*>(data), size)) !=
                                    sparkprof::Codec::kNone) {
      std::abort();
    }
  }
}
