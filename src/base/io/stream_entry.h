// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/io/byte_source.h"
#include "base/io/compression.h"
#include "base/result.h"

namespace sparkprof {

// Compressed files that can be read from the middle: zstd frames and LZ4BlockOutputStream blocks are decompressed
// independently. Spark closes a frame whenever it flushes an event log.

// The codec of such a file; kNone for all other files, and for nested compression. The file may still be a single
// frame.
Codec EnterableCodec(const std::string& path);

// The first entry point of `codec` at or after `offset`; nullopt if none follows within 32 MiB.
std::optional<int64_t> FindEntry(const std::string& path, Codec codec, int64_t offset);

// The same in `stored`, for positions before `end`. Skips bytes that only resemble the start of a frame or block: some
// of the following data must be decompressible.
std::optional<size_t> FindEntry(Codec codec, std::string_view stored, size_t end);

// Decompresses the stored data from `entry` on, at most `size` bytes of it.
Result<std::unique_ptr<ByteSource>> OpenAtEntry(const std::string& path, Codec codec, int64_t entry,
                                                int64_t size = INT64_MAX, const ExpansionLimits& limits = {});

// The last `size` bytes of text in `stored`, the end of a compressed file, from its first entry point on; empty if
// there is none.
std::string TextAtEnd(std::string_view stored, size_t size);

// The last `size` bytes of the source's rest, or all if there are fewer; up to an error.
std::string ReadLast(ByteSource* source, size_t size);

}  // namespace sparkprof
