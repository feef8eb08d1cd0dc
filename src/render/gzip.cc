// SPDX-License-Identifier: Apache-2.0
#include "render/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace sparkprof {

std::string Gzip(std::string_view bytes) {
  constexpr int kGzipWindow = 15 + 16;  // largest window, gzip header
  constexpr int kMemoryLevel = 8;
  constexpr size_t kLargestStep = std::numeric_limits<uInt>::max();
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string compressed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_out = reinterpret_cast<Bytef*>(compressed.data());
  size_t room = compressed.size();
  int status = Z_OK;
  while (status == Z_OK) {
    const uInt in = static_cast<uInt>(std::min(bytes.size(), kLargestStep));
    const uInt out = static_cast<uInt>(std::min(room, kLargestStep));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = in;
    stream.avail_out = out;
    status = deflate(&stream, in == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    bytes.remove_prefix(in - stream.avail_in);
    room -= out - stream.avail_out;
  }
  deflateEnd(&stream);
  compressed.resize(compressed.size() - room);
  return compressed;
}

}  // namespace sparkprof
