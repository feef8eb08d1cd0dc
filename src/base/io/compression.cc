// SPDX-License-Identifier: Apache-2.0
#include "base/io/compression.h"

#include <zstd.h>

#include <memory>

namespace sparkprof {
namespace {

// Creating a context takes as much time as decompressing a small block.
ZSTD_DCtx* ContextOfThread() {
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  thread_local const std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
  return context.get();
}

}  // namespace

std::string ZstdCompress(std::string_view bytes, int level) {
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), level);
  frame.resize(ZSTD_isError(size) ? 0 : size);
  return frame;
}

std::optional<uint64_t> ZstdContentSize(std::string_view frame) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) return std::nullopt;
  return size;
}

Result<std::string> ZstdDecompress(std::string_view frame, size_t max_size) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR) return Fail("not a zstd frame");
  if (size == ZSTD_CONTENTSIZE_UNKNOWN) return Fail("zstd frame without content size");
  if (size > max_size) {
    return Fail("zstd frame too large: " + std::to_string(size) + " bytes, at most " + std::to_string(max_size));
  }
  std::string content(size, '\0');
  ZSTD_DCtx* const context = ContextOfThread();
  if (context == nullptr) return Fail("no memory to decompress a zstd frame");
  const size_t got = ZSTD_decompressDCtx(context, content.data(), content.size(), frame.data(), frame.size());
  if (ZSTD_isError(got)) return Fail(std::string("damaged zstd frame: ") + ZSTD_getErrorName(got));
  if (got != size) return Fail("truncated zstd frame");
  return content;
}

}  // namespace sparkprof
