// SPDX-License-Identifier: Apache-2.0
// Any bytes as a compressed stream: it ends, within its limits, and an error is the last that comes of it. Where it can
// be entered in its middle, there is something to decompress.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/io/compression.h"
#include "base/io/stream_entry.h"

namespace {

void Enter(sparkprof::Codec codec, std::string_view stored) {
  const std::optional<size_t> entry = sparkprof::FindEntry(codec, stored, stored.size());
  if (!entry) return;
  sparkprof::ExpansionLimits limits;
  limits.max_layers = 1;
  char byte = 0;
  const auto source = sparkprof::Decompress(sparkprof::ViewSource(stored.substr(*entry)), "fuzz", limits);
  const sparkprof::Result<size_t> got = source->Read(&byte, 1);
  // An error: the text may look like one more layer.
  if (got && *got == 0) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int64_t kMaxBytes = 1 << 20;
  for (const sparkprof::Codec codec : {sparkprof::Codec::kZstd, sparkprof::Codec::kLz4Block}) {
    Enter(codec, std::string_view(reinterpret_cast<const char*>(data), size));
  }
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
