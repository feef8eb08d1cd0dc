// SPDX-License-Identifier: Apache-2.0
#include "render/writers/gzip.h"

#include <isa-l/igzip_lib.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>
#include <vector>

#include "base/memory_limit.h"
#include "base/parallel.h"

namespace sparkprof {

namespace {

constexpr size_t kPartSize = size_t{1} << 20;
constexpr size_t kWindowSize = size_t{32} << 10;  // maximum distance of deflate's references

struct Part {
  std::string deflated;
  uint32_t checksum = 0;
};

// Compresses part `row` of `bytes`. It may refer to preceding bytes, and ends at a byte boundary.
Part DeflatePart(std::string_view bytes, size_t row) {
  constexpr int kMemoryLevel = 8;
  constexpr size_t kEndSize = 16;  // maximum size of the marker after a part
  const size_t begin = row * kPartSize;
  const std::string_view part = bytes.substr(begin, kPartSize);
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  if (begin > 0) {
    const std::string_view before = bytes.substr(begin - kWindowSize, kWindowSize);
    deflateSetDictionary(&stream, reinterpret_cast<const Bytef*>(before.data()), static_cast<uInt>(before.size()));
  }
  Part deflated{std::string(deflateBound(&stream, part.size()) + kEndSize, '\0')};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
  stream.avail_in = static_cast<uInt>(part.size());
  stream.next_out = reinterpret_cast<Bytef*>(deflated.deflated.data());
  stream.avail_out = static_cast<uInt>(deflated.deflated.size());
  deflate(&stream, begin + part.size() == bytes.size() ? Z_FINISH : Z_SYNC_FLUSH);
  deflated.deflated.resize(deflated.deflated.size() - stream.avail_out);
  deflateEnd(&stream);
  deflated.checksum = static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(part.data()), static_cast<z_size_t>(part.size())));
  return deflated;
}

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

void AppendNumber(uint32_t value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

std::string Gzip(std::string_view bytes) {
  std::vector<Part> parts(std::max<size_t>(1, (bytes.size() + kPartSize - 1) / kPartSize));
  ForEachInParallel(parts.size(), MemoryLimit::Threads(), [&](size_t row) { parts[row] = DeflatePart(bytes, row); });
  constexpr std::string_view kHeader("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  std::string compressed(kHeader);
  uint32_t checksum = 0;
  for (size_t row = 0; row < parts.size(); ++row) {
    const size_t size = bytes.substr(row * kPartSize, kPartSize).size();
    checksum = static_cast<uint32_t>(crc32_combine(checksum, parts[row].checksum, static_cast<z_off_t>(size)));
    compressed += parts[row].deflated;
  }
  AppendNumber(checksum, &compressed);
  AppendNumber(static_cast<uint32_t>(bytes.size()), &compressed);
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
