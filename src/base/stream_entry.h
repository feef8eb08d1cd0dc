// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "base/decompress.h"
#include "base/result.h"

namespace sparkprof {

// Compressed files that can be read from their middle: each frame of zstd and each block of LZ4BlockOutputStream is
// decompressed without what is before it. Spark closes a frame whenever it flushes an event log.

// The codec of such a file; kNone for all other files, and where what is compressed is compressed itself. A file that
// can be entered may still be a single frame.
Codec EnterableCodec(const std::string& path);

// The first place at or after `offset` where data of `codec` can be entered; nothing if none follows within 32 MiB.
std::optional<int64_t> FindEntry(const std::string& path, Codec codec, int64_t offset);

// The same in `stored`, of places before `end`. Bytes that only look like the begin of a frame or block are passed
// over: some of what follows must be decompressible.
std::optional<size_t> FindEntry(Codec codec, std::string_view stored, size_t end);

// Decompresses what is stored from `entry` on, at most `size` bytes of it.
Result<std::unique_ptr<ByteSource>> OpenAtEntry(const std::string& path, Codec codec, int64_t entry,
                                                int64_t size = INT64_MAX, const ExpansionLimits& limits = {});

// The last `size` bytes of text in `stored`, which is the end of a compressed file, from its first entry on; empty if
// it has none.
std::string TextAtEnd(std::string_view stored, size_t size);

// The last `size` bytes that a source still has, or all of them if they are fewer; up to an error.
std::string ReadLast(ByteSource* source, size_t size);

}  // namespace sparkprof
