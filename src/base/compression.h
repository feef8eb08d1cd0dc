// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// Compresses to one zstd frame.
std::string ZstdCompress(std::string_view bytes, int level = 3);

// The content size in the frame's header; nullopt if it is damaged or lacks the size.
std::optional<uint64_t> ZstdContentSize(std::string_view frame);

// Decompresses one zstd frame. Fails if it is damaged or larger than `max_size` bytes.
Result<std::string> ZstdDecompress(std::string_view frame, size_t max_size);

}  // namespace sparkprof
