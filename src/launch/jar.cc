// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/io/byte_source.h"
#include "base/io/compression.h"
#include "base/io/file.h"
#include "launch/plugin_jar.h"

namespace sparkprof {
namespace {

constexpr size_t kEndSize = 22;
constexpr size_t kEntrySize = 46;
constexpr size_t kLocalEntrySize = 30;
constexpr size_t kLargestEntry = size_t{64} << 20;
constexpr uint32_t kStored = 0;
constexpr uint32_t kDeflated = 8;
constexpr size_t kLongestComment = 0xFFFF;
constexpr std::string_view kEndMagic("PK\5\6", 4);
constexpr std::string_view kEntryMagic("PK\1\2", 4);

uint32_t Little(std::string_view bytes, size_t offset, size_t size) {
  uint32_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= uint32_t{static_cast<uint8_t>(bytes[offset + i])} << (8 * i);
  return value;
}

#if defined(__aarch64__)
constexpr char kArchitecture[] = "linux-arm64";
#else
constexpr char kArchitecture[] = "linux-x64";
#endif
#if defined(__GLIBC__)
constexpr char kCLibrary[] = "";
#else
constexpr char kCLibrary[] = "-musl";
#endif

// An entry of the central directory.
struct JarEntry {
  std::string_view name;
  uint32_t method = 0;
  uint32_t checksum = 0;
  uint32_t compressed_size = 0;
  uint32_t size = 0;
  uint32_t offset = 0;  // offset of its local header
};

Result<std::vector<JarEntry>> ReadDirectory(std::string_view bytes, const std::string& path) {
  const size_t tail_size = std::min(bytes.size(), kEndSize + kLongestComment);
  const std::string_view tail = bytes.substr(bytes.size() - tail_size);
  const size_t end = tail.size() < kEndSize ? std::string_view::npos : tail.rfind(kEndMagic, tail.size() - kEndSize);
  if (end == std::string_view::npos) {
    return Fail(path + ": not a jar, or truncated: no zip directory in the last 64 KiB");
  }
  const uint32_t count = Little(tail, end + 10, 2);
  size_t offset = Little(tail, end + 16, 4);
  std::vector<JarEntry> entries;
  for (uint32_t i = 0; i < count; ++i) {
    const bool whole = offset + kEntrySize <= bytes.size() && bytes.substr(offset, 4) == kEntryMagic;
    const size_t name_size = whole ? Little(bytes, offset + 28, 2) : 0;
    if (!whole || offset + kEntrySize + name_size > bytes.size()) {
      return Fail(
          fmt::format("{}: offset {}: expected entry {} of {} of the zip directory", path, offset, i + 1, count));
    }
    entries.push_back({.name = bytes.substr(offset + kEntrySize, name_size),
                       .method = Little(bytes, offset + 10, 2),
                       .checksum = Little(bytes, offset + 16, 4),
                       .compressed_size = Little(bytes, offset + 20, 4),
                       .size = Little(bytes, offset + 24, 4),
                       .offset = Little(bytes, offset + 42, 4)});
    offset += kEntrySize + name_size + Little(bytes, offset + 30, 2) + Little(bytes, offset + 32, 2);
  }
  return entries;
}

void AppendLittle(std::string* out, uint32_t value) {
  for (int i = 0; i < 4; ++i) *out += static_cast<char>(value >> (8 * i));
}

// Wraps a deflated entry in a gzip member (RFC 1952): header and trailer need only data from the directory.
std::string AsGzip(const JarEntry& entry, std::string_view data) {
  std::string member("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  member += data;
  AppendLittle(&member, entry.checksum);
  AppendLittle(&member, entry.size);
  return member;
}

}  // namespace

std::string_view JarArchitecture() { return kArchitecture; }

Result<std::vector<std::string>> ListJar(const std::string& path) {
  const auto file = MappedFile::Open(path);
  if (!file) return tl::unexpected(file.error());
  const auto entries = ReadDirectory(file->Bytes(), path);
  if (!entries) return tl::unexpected(entries.error());
  std::vector<std::string> names;
  for (const JarEntry& entry : *entries) names.emplace_back(entry.name);
  return names;
}

Result<std::string> ReadJarEntry(const std::string& path, const std::string& name) {
  const auto file = MappedFile::Open(path);
  if (!file) return tl::unexpected(file.error());
  const std::string_view bytes = file->Bytes();
  const auto entries = ReadDirectory(bytes, path);
  if (!entries) return tl::unexpected(entries.error());
  const auto entry =
      std::find_if(entries->begin(), entries->end(), [&](const JarEntry& found) { return found.name == name; });
  if (entry == entries->end()) return Fail(fmt::format("{}: missing entry {}", path, name));
  const std::string place = fmt::format("{}!{}", path, name);
  if (entry->size > kLargestEntry)
    return Fail(fmt::format("{}: too large: {} bytes, at most 64 MiB", place, entry->size));
  const size_t header = entry->offset;
  if (header + kLocalEntrySize > bytes.size())
    return Fail(place + ": truncated: its data is beyond the end of the jar");
  // In the local header, name and extra field may have different lengths than in the directory.
  const size_t start = header + kLocalEntrySize + Little(bytes, header + 26, 2) + Little(bytes, header + 28, 2);
  if (start + entry->compressed_size > bytes.size())
    return Fail(place + ": truncated: its data ends beyond the end of the jar");
  const std::string_view data = bytes.substr(start, entry->compressed_size);
  if (entry->method == kStored) return std::string(data);
  if (entry->method != kDeflated) {
    return Fail(fmt::format("{}: unsupported compression method {}; supported: stored (0), deflated (8)", place,
                            entry->method));
  }
  return ReadAll(Decompress(StringSource(AsGzip(*entry, data)), place, {.max_layers = 1}).get(), kLargestEntry, place);
}

Result<std::vector<std::string>> MissingInPluginJar(const std::string& path) {
  const auto names = ListJar(path);
  if (!names) return tl::unexpected(names.error());
  std::vector<std::string> missing;
  for (const std::string& needed : {std::string("org/sparkprof/SparkProfPlugin.class"),
                                    fmt::format("native/{}{}/sparkprof-agent", kArchitecture, kCLibrary),
                                    fmt::format("{}/libasyncProfiler.so", kArchitecture)}) {
    if (std::find(names->begin(), names->end(), needed) == names->end()) missing.push_back(needed);
  }
  return missing;
}

}  // namespace sparkprof
