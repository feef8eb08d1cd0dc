// SPDX-License-Identifier: Apache-2.0
#include "history/event_log_zip.h"

#include <fmt/format.h>
#include <isa-l/crc.h>

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/io/byte_source.h"

namespace sparkprof {
namespace {

constexpr uint32_t kLocalHeader = 0x04034b50;
constexpr uint32_t kCentralHeader = 0x02014b50;
constexpr uint32_t kEnd = 0x06054b50;
constexpr uint16_t kVersion = 20;
constexpr uint16_t kUtf8Names = 1 << 11;
constexpr uint16_t kFirstDay = 1 << 5 | 1;  // 1 January 1980

template <typename Number>
void Put(Number number, std::string* bytes) {
  for (size_t byte = 0; byte < sizeof number; ++byte) bytes->push_back(static_cast<char>(number >> (8 * byte) & 0xff));
}

struct Entry {
  std::string_view name;
  uint32_t checksum = 0;
  uint32_t size = 0;
  uint32_t offset = 0;
};

// Writes the fields shared by local headers and the central directory.
void PutCommon(const Entry& entry, std::string* bytes) {
  Put(kVersion, bytes);
  Put(kUtf8Names, bytes);
  Put(uint16_t{0}, bytes);  // method: stored
  Put(uint16_t{0}, bytes);  // time of day
  Put(kFirstDay, bytes);
  Put(entry.checksum, bytes);
  Put(entry.size, bytes);
  Put(entry.size, bytes);
  Put(static_cast<uint16_t>(entry.name.size()), bytes);
  Put(uint16_t{0}, bytes);  // no extra fields
}

void PutCentral(const Entry& entry, std::string* bytes) {
  Put(kCentralHeader, bytes);
  Put(kVersion, bytes);
  PutCommon(entry, bytes);
  Put(uint16_t{0}, bytes);
  Put(uint16_t{0}, bytes);
  Put(uint16_t{0}, bytes);  // internal attributes
  Put(uint32_t{0}, bytes);
  Put(entry.offset, bytes);
  bytes->append(entry.name);
}

// Passes the content to `use`, at most `max_bytes`: the file may grow while it is read.
Result<void> ForEachPiece(const ZipMember& member, uint64_t max_bytes,
                          const std::function<Result<void>(std::string_view piece)>& use) {
  constexpr size_t kPiece = size_t{1} << 20;
  Result<std::unique_ptr<ByteSource>> source = member.path.empty()
                                                   ? ViewSource(std::string_view(member.content).substr(0, max_bytes))
                                                   : OpenFileSource(member.path, 0, static_cast<int64_t>(max_bytes));
  if (!source) return tl::unexpected(source.error());
  std::optional<Error> error;
  for (std::string piece = ReadUpTo(source->get(), kPiece, &error); !piece.empty();
       piece = ReadUpTo(source->get(), kPiece, &error)) {
    if (Result<void> used = use(piece); !used) return used;
  }
  return error ? tl::unexpected(*error) : Result<void>();
}

}  // namespace

Result<void> ZipFiles(const std::vector<ZipMember>& members, uint64_t max_bytes,
                      const std::function<Result<void>(std::string_view piece)>& write) {
  uint64_t offset = 0;
  const auto put = [&](std::string_view piece) {
    offset += piece.size();
    return write(piece);
  };
  std::vector<Entry> entries;
  for (const ZipMember& member : members) {
    const uint64_t rest = max_bytes > offset ? max_bytes - offset : 0;
    Entry& entry = entries.emplace_back();
    entry.name = member.name;
    entry.offset = static_cast<uint32_t>(offset);
    uint64_t size = 0;
    // The header precedes the data and contains its checksum, so the file is read twice.
    Result<void> done = ForEachPiece(member, rest + 1, [&](std::string_view piece) -> Result<void> {
      size += piece.size();
      entry.checksum =
          crc32_gzip_refl(entry.checksum, reinterpret_cast<const unsigned char*>(piece.data()), piece.size());
      return {};
    });
    if (!done) return done;
    if (size > rest) return Fail(fmt::format("{}: the archive would be too large", member.name));
    entry.size = static_cast<uint32_t>(size);
    std::string header;
    Put(kLocalHeader, &header);
    PutCommon(entry, &header);
    header += entry.name;
    if (done = put(header); !done) return done;
    const uint64_t end = offset + size;
    if (done = ForEachPiece(member, size, put); !done) return done;
    if (offset != end) return Fail(fmt::format("{}: changed while it was read; ask again", member.name));
  }
  const auto directory = static_cast<uint32_t>(offset);
  std::string tail;
  for (const Entry& entry : entries) PutCentral(entry, &tail);
  const auto directory_size = static_cast<uint32_t>(tail.size());
  Put(kEnd, &tail);
  Put(uint32_t{0}, &tail);  // disk numbers
  Put(static_cast<uint16_t>(entries.size()), &tail);
  Put(static_cast<uint16_t>(entries.size()), &tail);
  Put(directory_size, &tail);
  Put(directory, &tail);
  Put(uint16_t{0}, &tail);  // comment
  return put(tail);
}

}  // namespace sparkprof
