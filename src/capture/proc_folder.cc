// SPDX-License-Identifier: Apache-2.0
#include "capture/proc_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <utility>

#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

struct CloseListing {
  void operator()(DIR* folder) const { closedir(folder); }
};

}  // namespace

ProcFolder::ProcFolder(std::string path)
    : path_(std::move(path)), folder_(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

std::string ProcFolder::PathOf(int64_t pid, std::string_view name) const {
  return (path_ + "/" + std::to_string(pid) + "/").append(name);
}

bool ProcFolder::ListProcessIds(std::vector<int64_t>* ids) const {
  ids->clear();
  const std::unique_ptr<DIR, CloseListing> listing(opendir(path_.c_str()));
  if (!listing) return false;
  while (const dirent* entry = readdir(listing.get())) {
    if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
    if (const auto id = ParseInteger(entry->d_name)) ids->push_back(*id);
  }
  std::sort(ids->begin(), ids->end());
  return true;
}

FileDescriptor ProcFolder::Open(int64_t pid, const char* name) const {
  char path[64];
  snprintf(path, sizeof path, "%" PRId64 "/%s", pid, name);
  return FileDescriptor(openat(folder_.Get(), path, O_RDONLY | O_CLOEXEC));
}

FileDescriptor ProcFolder::Open(const char* name) const {
  return FileDescriptor(openat(folder_.Get(), name, O_RDONLY | O_CLOEXEC));
}

std::string_view ReadAgain(const FileDescriptor& file, char* buffer, size_t size) {
  const ssize_t got = file.IsOpen() ? pread(file.Get(), buffer, size, 0) : -1;
  return got <= 0 ? std::string_view() : std::string_view(buffer, static_cast<size_t>(got));
}

int64_t NewestId(const FileDescriptor& loadavg) {
  char buffer[128];
  const std::string_view text = Trim(ReadAgain(loadavg, buffer, sizeof buffer));
  return ParseInteger(text.substr(text.rfind(' ') + 1)).value_or(-1);
}

std::string_view VariableOf(std::string_view environment, std::string_view name_and_equals) {
  for (const std::string_view variable : Split(environment, '\0')) {
    if (variable.starts_with(name_and_equals)) return variable.substr(name_and_equals.size());
  }
  return {};
}

int64_t NanosOfTicks(int64_t ticks) {
  static const int64_t nanos_per_tick = kNanosPerSecond / std::max(1L, sysconf(_SC_CLK_TCK));
  return ticks * nanos_per_tick;
}

}  // namespace sparkprof
