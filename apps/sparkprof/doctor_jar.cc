// SPDX-License-Identifier: Apache-2.0
#include "apps/sparkprof/doctor_jar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/file.h"

namespace sparkprof {
namespace {

constexpr size_t kEndSize = 22;
constexpr size_t kEntrySize = 46;
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

}  // namespace

Result<std::vector<std::string>> ListJar(const std::string& path) {
  const auto file = MappedFile::Open(path);
  if (!file) return tl::unexpected(file.error());
  const std::string_view bytes = file->Bytes();
  const size_t tail_size = std::min(bytes.size(), kEndSize + kLongestComment);
  const std::string_view tail = bytes.substr(bytes.size() - tail_size);
  const size_t end = tail.size() < kEndSize ? std::string_view::npos : tail.rfind(kEndMagic, tail.size() - kEndSize);
  if (end == std::string_view::npos) {
    return Fail(path + ": not a jar, or cut: expected the end of a zip directory in the last 64 KiB");
  }
  const uint32_t count = Little(tail, end + 10, 2);
  size_t offset = Little(tail, end + 16, 4);
  std::vector<std::string> names;
  for (uint32_t i = 0; i < count; ++i) {
    const bool whole = offset + kEntrySize <= bytes.size() && bytes.substr(offset, 4) == kEntryMagic;
    const size_t name_size = whole ? Little(bytes, offset + 28, 2) : 0;
    if (!whole || offset + kEntrySize + name_size > bytes.size()) {
      return Fail(
          fmt::format("{}: offset {}: expected entry {} of {} of the zip directory", path, offset, i + 1, count));
    }
    names.emplace_back(bytes.substr(offset + kEntrySize, name_size));
    offset += kEntrySize + name_size + Little(bytes, offset + 30, 2) + Little(bytes, offset + 32, 2);
  }
  return names;
}

Result<std::vector<std::string>> MissingInPluginJar(const std::string& path) {
  const auto names = ListJar(path);
  if (!names) return tl::unexpected(names.error());
  std::vector<std::string> missing;
  for (const std::string& needed :
       {std::string("org/sparkprof/SparkProfPlugin.class"), fmt::format("native/{}/sparkprof-agent", kArchitecture),
        fmt::format("{}/libasyncProfiler.so", kArchitecture)}) {
    if (std::find(names->begin(), names->end(), needed) == names->end()) missing.push_back(needed);
  }
  return missing;
}

}  // namespace sparkprof
