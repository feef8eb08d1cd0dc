// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/text/text.h"
#include "inputs/archive.h"

namespace sparkprof {
namespace {

constexpr size_t kBlock = 512;

// Field positions in a header.
constexpr size_t kNameSize = 100, kSizeBegin = 124, kSizeSize = 12, kChecksumBegin = 148, kChecksumSize = 8,
                 kTypeBegin = 156, kMagicBegin = 257, kPrefixBegin = 345, kPrefixSize = 155;

// A text that ends at its first NUL, or fills its field.
std::string_view TextAt(std::string_view header, size_t begin, size_t size) {
  const std::string_view text = header.substr(begin, size);
  return text.substr(0, std::min(text.find('\0'), text.size()));
}

// Parses an octal number, or GNU's form for larger ones: binary with the first bit set.
std::optional<uint64_t> NumberAt(std::string_view header, size_t begin, size_t size) {
  const std::string_view bytes = header.substr(begin, size);
  uint64_t number = 0;
  if ((static_cast<unsigned char>(bytes[0]) & 0x80) != 0) {
    for (size_t i = 1; i < bytes.size(); ++i) {
      if (number >> 55 != 0) return std::nullopt;
      number = number << 8 | static_cast<unsigned char>(bytes[i]);
    }
    return number;
  }
  const std::string_view digits = Trim(TextAt(header, begin, size));
  for (const char digit : digits) {
    if (digit < '0' || digit > '7' || number >> 60 != 0) return std::nullopt;
    number = number << 3 | static_cast<uint64_t>(digit - '0');
  }
  return number;
}

// The checksum is the sum of all bytes, with spaces in its own field.
bool HasGoodChecksum(std::string_view header) {
  uint64_t sum = 0;
  for (size_t i = 0; i < kBlock; ++i) {
    const bool is_sum = i >= kChecksumBegin && i < kChecksumBegin + kChecksumSize;
    sum += is_sum ? ' ' : static_cast<unsigned char>(header[i]);
  }
  return NumberAt(header, kChecksumBegin, kChecksumSize) == sum;
}

// Records "LENGTH KEY=VALUE\n" of a pax header with the name and size of the next file.
struct PaxRecords {
  std::string path;
  std::optional<uint64_t> size;

  void Read(std::string_view records) {
    while (!records.empty()) {
      const size_t blank = records.find(' ');
      if (blank == std::string_view::npos) return;
      const std::optional<int64_t> length = ParseInteger(records.substr(0, blank));
      if (!length || *length <= static_cast<int64_t>(blank) + 1 || static_cast<size_t>(*length) > records.size())
        return;
      std::string_view record = records.substr(blank + 1, static_cast<size_t>(*length) - blank - 1);
      if (record.ends_with('\n')) record.remove_suffix(1);
      if (record.starts_with("path=")) path = record.substr(5);
      if (record.starts_with("size=")) {
        if (const std::optional<int64_t> parsed = ParseInteger(record.substr(5)); parsed && *parsed >= 0) {
          size = static_cast<uint64_t>(*parsed);
        }
      }
      records.remove_prefix(static_cast<size_t>(*length));
    }
  }
};

}  // namespace

bool IsTar(std::string_view head) { return head.size() >= kBlock && HasGoodChecksum(head.substr(0, kBlock)); }

Result<Archive> ListTar(const SharedBytes& archive, const std::string& name) {
  Archive listed;
  PaxRecords pax;
  std::string long_name;  // GNU's long name of the next file
  for (size_t at = 0; at + kBlock <= archive.bytes.size();) {
    const std::string_view header = archive.bytes.substr(at, kBlock);
    if (header[0] == '\0') break;  // zero blocks at the end
    if (!HasGoodChecksum(header)) {
      listed.damaged.push_back({fmt::format("offset {}", at), "expected a header of tar; the rest is skipped"});
      break;
    }
    const std::optional<uint64_t> stored = NumberAt(header, kSizeBegin, kSizeSize);
    if (!stored) {
      listed.damaged.push_back({fmt::format("offset {}", at), "expected a size in octal digits; the rest is skipped"});
      break;
    }
    const char type = header[kTypeBegin];
    const bool is_file = type == '0' || type == '\0' || type == '7';
    const uint64_t size = is_file ? pax.size.value_or(*stored) : *stored;
    const size_t begin = at + kBlock, left = archive.bytes.size() - begin;
    const std::string_view data = archive.bytes.substr(begin, std::min<uint64_t>(size, left));
    if (type == 'x') {
      pax.Read(data);
    } else if (type == 'L') {
      long_name = TextAt(data, 0, data.size());
    } else {
      const std::string_view prefix = header.substr(kMagicBegin).starts_with(std::string_view("ustar\0", 6))
                                          ? TextAt(header, kPrefixBegin, kPrefixSize)
                                          : std::string_view();
      std::string file = fmt::format("{}{}{}", prefix, prefix.empty() ? "" : "/", TextAt(header, 0, kNameSize));
      if (!long_name.empty()) file = std::move(long_name);
      if (!pax.path.empty()) file = std::move(pax.path);
      if (type == 'S') {
        listed.damaged.push_back({file, "a sparse file of GNU tar, which is not supported; unpack the archive"});
      } else if (is_file && size > left) {
        listed.damaged.push_back({file, fmt::format("truncated: {} of {} bytes", left, size)});
      } else if (is_file && !file.ends_with('/')) {
        listed.entries.push_back({.name = std::move(file),
                                  .host = {},
                                  .size = static_cast<int64_t>(size),
                                  .open = [owner = archive.owner, data]() -> Result<std::unique_ptr<ByteSource>> {
                                    return ViewSource(data, owner);
                                  }});
      }
      long_name.clear();
      pax = {};
    }
    if (size > left) break;
    at = begin + (size + kBlock - 1) / kBlock * kBlock;
  }
  if (listed.entries.empty() && listed.damaged.empty() && !IsTar(archive.bytes)) {
    return Fail(name + ": not an archive of tar");
  }
  return listed;
}

}  // namespace sparkprof
