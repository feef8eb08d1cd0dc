// SPDX-License-Identifier: Apache-2.0
#include "history/event_log_zip.h"

#include <fmt/format.h>
#include <isa-l/crc.h>

#include <string_view>

#include "base/byte_source.h"

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

// The part that the headers before the data and in the directory share.
void PutCommon(const Entry& entry, std::string* bytes) {
  Put(kVersion, bytes);
  Put(kUtf8Names, bytes);
  Put(uint16_t{0}, bytes);  // stored
  Put(uint16_t{0}, bytes);  // time
  Put(kFirstDay, bytes);
  Put(entry.checksum, bytes);
  Put(entry.size, bytes);
  Put(entry.size, bytes);
  Put(static_cast<uint16_t>(entry.name.size()), bytes);
  Put(uint16_t{0}, bytes);  // no further fields
}

void PutCentral(const Entry& entry, std::string* bytes) {
  Put(kCentralHeader, bytes);
  Put(kVersion, bytes);
  PutCommon(entry, bytes);
  Put(uint16_t{0}, bytes);  // comment
  Put(uint16_t{0}, bytes);  // disk
  Put(uint16_t{0}, bytes);  // attributes
  Put(uint32_t{0}, bytes);
  Put(entry.offset, bytes);
  bytes->append(entry.name);
}

}  // namespace

Result<std::string> ZipFiles(const std::vector<ZipMember>& members, uint64_t max_bytes) {
  std::string zip;
  std::vector<Entry> entries;
  for (const ZipMember& member : members) {
    const uint64_t rest = max_bytes > zip.size() ? max_bytes - zip.size() : 0;
    Result<std::string> content = member.path.empty() ? member.content : ReadAll(member.path, rest);
    if (!content) return tl::unexpected(content.error());
    if (content->size() > rest) return Fail(fmt::format("{}: the archive would be too large", member.name));
    const std::string& bytes = *content;
    Entry& entry = entries.emplace_back();
    entry.name = member.name;
    entry.checksum = crc32_gzip_refl(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    entry.size = static_cast<uint32_t>(bytes.size());
    entry.offset = static_cast<uint32_t>(zip.size());
    Put(kLocalHeader, &zip);
    PutCommon(entry, &zip);
    zip += entry.name;
    zip += bytes;
  }
  const auto directory = static_cast<uint32_t>(zip.size());
  for (const Entry& entry : entries) PutCentral(entry, &zip);
  const auto directory_size = static_cast<uint32_t>(zip.size()) - directory;
  Put(kEnd, &zip);
  Put(uint32_t{0}, &zip);  // disks
  Put(static_cast<uint16_t>(entries.size()), &zip);
  Put(static_cast<uint16_t>(entries.size()), &zip);
  Put(directory_size, &zip);
  Put(directory, &zip);
  Put(uint16_t{0}, &zip);  // comment
  return zip;
}

}  // namespace sparkprof
