// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/byte_source.h"
#include "base/decompress.h"

namespace sparkprof {

// Decoders for one layer of compression, limited only by memory: a chunk with a declared size above kMaxChunkBytes is
// damaged.
std::unique_ptr<ByteSource> DecodeGzip(std::unique_ptr<ByteSource> source, const std::string& name);
std::unique_ptr<ByteSource> DecodeZlib(std::unique_ptr<ByteSource> source, const std::string& name);  // RFC 1950
std::unique_ptr<ByteSource> DecodeZstd(std::unique_ptr<ByteSource> source, const std::string& name);
std::unique_ptr<ByteSource> DecodeLz4Blocks(std::unique_ptr<ByteSource> source, const std::string& name);
std::unique_ptr<ByteSource> DecodeSnappy(std::unique_ptr<ByteSource> source, const std::string& name);
std::unique_ptr<ByteSource> DecodeLzf(std::unique_ptr<ByteSource> source, const std::string& name);

inline constexpr size_t kMaxChunkBytes = 64u << 20;

// Decompresses one LZF chunk into exactly `size` bytes. Returns false if it is damaged.
bool ExpandLzf(std::string_view compressed, char* bytes, size_t size);

}  // namespace sparkprof
