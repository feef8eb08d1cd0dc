// SPDX-License-Identifier: Apache-2.0
#include "render/writers/gzip.h"

#include <isa-l/igzip_lib.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <vector>

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

std::string GzipQuickly(std::string_view bytes) {
  constexpr size_t kStep = size_t{1} << 20;
  isal_zstream stream{};  // isal_deflate_init leaves the input unset
  isal_deflate_init(&stream);
  std::vector<uint8_t> work(ISAL_DEF_LVL1_DEFAULT);
  stream.gzip_flag = IGZIP_GZIP;
  stream.level = 1;
  stream.level_buf = work.data();
  stream.level_buf_size = static_cast<uint32_t>(work.size());
  std::string compressed;
  do {
    if (stream.avail_in == 0) {
      const std::string_view part = bytes.substr(0, kStep);
      bytes.remove_prefix(part.size());
      stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(part.data()));
      stream.avail_in = static_cast<uint32_t>(part.size());
      stream.end_of_stream = bytes.empty() ? 1 : 0;
    }
    const size_t size = compressed.size();
    compressed.resize(size + kStep);
    stream.next_out = reinterpret_cast<uint8_t*>(compressed.data() + size);
    stream.avail_out = static_cast<uint32_t>(kStep);
    isal_deflate(&stream);
    compressed.resize(compressed.size() - stream.avail_out);
  } while (stream.internal_state.state != ZSTATE_END);
  return compressed;
}

}  // namespace sparkprof
