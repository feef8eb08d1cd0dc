// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "base/io/file.h"
#include "base/text/text.h"
#include "capture/container_limits.h"

namespace sparkprof {
namespace {

// Version 1 reports "no limit" as the largest multiple of the page size.
constexpr int64_t kNoLimit = int64_t{1} << 60;

// Path of the process in the hierarchy: "N:memory:PATH" in version 1, "0::PATH" in version 2.
std::optional<std::string> PathIn(std::string_view groups, std::string_view controllers) {
  for (const std::string_view line : Split(groups, '\n')) {
    const auto parts = Split(line, ':');
    if (parts.size() >= 3 && parts[1] == controllers)
      return std::string(line.substr(line.find(':', line.find(':') + 1) + 1));
  }
  return std::nullopt;
}

// A container often has only its own group mounted, at the mount point.
std::string FolderOf(const std::string& mount, const std::optional<std::string>& path, const char* file) {
  for (const std::string& folder : {mount + path.value_or(""), mount}) {
    if (ReadFile(folder + "/" + file)) return folder;
  }
  return {};
}

// Parses the number in a line "NAME NUMBER".
std::optional<int64_t> NumberIn(std::string_view lines, std::string_view name) {
  for (const std::string_view line : Split(lines, '\n')) {
    const auto words = Split(line, ' ');
    if (words.size() == 2 && words[0] == name) return ParseInteger(words[1]);
  }
  return std::nullopt;
}

}  // namespace

ContainerMemory::ContainerMemory(int64_t pid, const std::string& proc, const std::string& cgroup) {
  const Result<std::string> groups = ReadFile(proc + "/" + std::to_string(pid) + "/cgroup");
  if (!groups) return;
  folder_ = FolderOf(cgroup, PathIn(*groups, ""), "memory.max");
  is_version_2_ = !folder_.empty();
  if (folder_.empty()) folder_ = FolderOf(cgroup + "/memory", PathIn(*groups, "memory"), "memory.limit_in_bytes");
}

std::optional<int64_t> ContainerMemory::LimitBytes() const {
  if (folder_.empty()) return std::nullopt;
  const Result<std::string> text = ReadFile(folder_ + (is_version_2_ ? "/memory.max" : "/memory.limit_in_bytes"));
  const std::optional<int64_t> bytes = text ? ParseInteger(Trim(*text)) : std::nullopt;
  return bytes && *bytes < kNoLimit ? bytes : std::nullopt;
}

std::optional<int64_t> ContainerMemory::Kills() const {
  if (folder_.empty()) return std::nullopt;
  const Result<std::string> text = ReadFile(folder_ + (is_version_2_ ? "/memory.events" : "/memory.oom_control"));
  return text ? NumberIn(*text, "oom_kill") : std::nullopt;
}

}  // namespace sparkprof
