// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/segment/block.h"
#include "model/segment/segment_codec.h"

// The input as the message inside a block, and as a recording of blocks.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sparkprof;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const Result<Segment> segment = DecodeSegment(bytes)) {
    // A readable segment can be written, and reads again.
    if (!DecodeSegment(EncodeSegment(*segment))) __builtin_trap();
  }
  constexpr uint64_t kMaxHashed = 600;  // times the size, whatever headers claim
  const Result<RecordingStatus> status = ReadBlocks(bytes, "fuzz", [](Segment&&) {});
  if (status && status->hashed_bytes > kMaxHashed * size) __builtin_trap();
  return 0;
}
