// SPDX-License-Identifier: Apache-2.0
// Compressed data as Spark and Java write them, by the codecs' own libraries.
#pragma once

#define XXH_INLINE_ALL
#include <lz4.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace sparkprof {

inline std::string LittleEndian(uint32_t value) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

template <typename OneBlock>
std::string InBlocks(std::string_view text, size_t block, OneBlock one) {
  std::string all;
  for (; !text.empty(); text.remove_prefix(std::min(block, text.size()))) all += one(text.substr(0, block));
  return all;
}

inline std::string Zstd(std::string_view text) {
  std::string frame(ZSTD_compressBound(text.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), text.data(), text.size(), 1));
  return frame;
}

// One block of LZ4BlockOutputStream.
inline std::string Lz4Chunk(std::string_view text) {
  constexpr uint32_t kSeed = 0x9747b28c;
  std::string data(static_cast<size_t>(LZ4_compressBound(static_cast<int>(text.size()))), '\0');
  const int size =
      LZ4_compress_default(text.data(), data.data(), static_cast<int>(text.size()), static_cast<int>(data.size()));
  data.resize(static_cast<size_t>(size));
  const bool raw = data.size() >= text.size();
  if (raw) data = text;
  return "LZ4Block" + std::string(1, static_cast<char>((raw ? 0x10 : 0x20) | 5)) +
         LittleEndian(static_cast<uint32_t>(data.size())) + LittleEndian(static_cast<uint32_t>(text.size())) +
         LittleEndian(XXH32(text.data(), text.size(), kSeed) & 0x0fffffff) + data;
}

// A stream with blocks of Spark's size.
inline std::string Lz4(std::string_view text) {
  constexpr size_t kBlock = 32 << 10;
  return InBlocks(text, kBlock, Lz4Chunk) + "LZ4Block" + "\x15" + std::string(12, '\0');
}

}  // namespace sparkprof
