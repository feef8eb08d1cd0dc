// SPDX-License-Identifier: Apache-2.0
#include "capture/hsperfdata.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>

namespace sparkprof {
namespace {

constexpr size_t kPrologueSize = 32;
constexpr size_t kEntrySize = 20;

// Reads fields in the byte order of the prologue. The caller must check offsets.
class Fields {
 public:
  Fields(std::string_view bytes, bool little_endian) : bytes_(bytes), little_endian_(little_endian) {}

  int32_t Int32(size_t offset) const { return static_cast<int32_t>(static_cast<uint32_t>(Unsigned(offset, 4))); }
  int64_t Int64(size_t offset) const { return static_cast<int64_t>(Unsigned(offset, 8)); }

 private:
  uint64_t Unsigned(size_t offset, size_t size) const {
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i) {
      value = value << 8 | static_cast<uint8_t>(bytes_[offset + (little_endian_ ? size - 1 - i : i)]);
    }
    return value;
  }

  std::string_view bytes_;
  bool little_endian_;
};

struct CloseDataFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

std::string_view UpToNul(std::string_view text) { return text.substr(0, std::min(text.find('\0'), text.size())); }

// Parses the counter in `entry`; nullopt if an offset is out of bounds. Only numbers and texts have a value.
std::optional<PerfCounter> ParseEntry(std::string_view entry, const Fields& fields) {
  const int64_t name_offset = fields.Int32(4);
  const int64_t vector_length = fields.Int32(8);
  const char type = entry[12];
  const int64_t data_offset = fields.Int32(16);
  const auto size = static_cast<int64_t>(entry.size());
  if (name_offset < static_cast<int64_t>(kEntrySize) || name_offset >= size) return std::nullopt;
  if (data_offset < static_cast<int64_t>(kEntrySize) || data_offset > size || vector_length < 0) return std::nullopt;
  PerfCounter counter;
  counter.name = UpToNul(entry.substr(static_cast<size_t>(name_offset)));
  if (type == 'J' && vector_length == 0) {
    if (data_offset + 8 > size) return std::nullopt;
    counter.value = fields.Int64(static_cast<size_t>(data_offset));
  } else if (type == 'B' && vector_length > 0) {
    if (data_offset + vector_length > size) return std::nullopt;
    counter.is_text = true;
    counter.text = UpToNul(entry.substr(static_cast<size_t>(data_offset), static_cast<size_t>(vector_length)));
  }
  return counter;
}

}  // namespace

const PerfCounter* Hsperfdata::Find(std::string_view name) const {
  const auto found =
      std::find_if(counters.begin(), counters.end(), [&](const PerfCounter& counter) { return counter.name == name; });
  return found == counters.end() ? nullptr : &*found;
}

std::optional<int64_t> Hsperfdata::Number(std::string_view name) const {
  const PerfCounter* counter = Find(name);
  if (counter == nullptr || counter->is_text) return std::nullopt;
  return counter->value;
}

std::string_view Hsperfdata::Text(std::string_view name) const {
  const PerfCounter* counter = Find(name);
  return counter == nullptr ? std::string_view() : counter->text;
}

Result<Hsperfdata> ParseHsperfdata(std::string_view bytes, const std::string& name) {
  if (bytes.size() < kPrologueSize) {
    return Fail(name + ": " + std::to_string(bytes.size()) + " bytes, expected JVM performance data of at least " +
                std::to_string(kPrologueSize));
  }
  if (!bytes.starts_with("\xca\xfe\xc0\xc0")) {
    return Fail(name + ": offset 0: not JVM performance data (magic cafec0c0)");
  }
  if (bytes[5] != 2) {
    return Fail(name + ": offset 5: performance data of version " + std::to_string(bytes[5]) + ", expected version 2");
  }
  if (bytes[7] == 0) return Fail(name + ": offset 7: the JVM has not finished its performance data yet");
  const bool little_endian = bytes[4] == 1;
  const Fields prologue(bytes, little_endian);
  const int64_t entry_count = prologue.Int32(28);
  int64_t offset = prologue.Int32(24);
  Hsperfdata data;
  for (int64_t i = 0; i < entry_count; ++i) {
    const auto rest = static_cast<int64_t>(bytes.size()) - offset;
    const bool fits = offset >= static_cast<int64_t>(kPrologueSize) && rest >= static_cast<int64_t>(kEntrySize);
    const int64_t length = fits ? prologue.Int32(static_cast<size_t>(offset)) : 0;
    if (length < static_cast<int64_t>(kEntrySize) || length > rest) {
      data.damaged_entries += static_cast<uint64_t>(entry_count - i);
      break;
    }
    const std::string_view entry = bytes.substr(static_cast<size_t>(offset), static_cast<size_t>(length));
    if (const auto counter = ParseEntry(entry, Fields(entry, little_endian))) {
      data.counters.push_back(*counter);
    } else {
      ++data.damaged_entries;
    }
    offset += length;
  }
  return data;
}

std::string FindHsperfdata(int64_t pid, const std::string& temporary_folder, int64_t namespace_pid) {
  struct stat process;
  if (stat(("/proc/" + std::to_string(pid)).c_str(), &process) != 0) return {};
  const std::unique_ptr<DIR, CloseDataFolder> folder(opendir(temporary_folder.c_str()));
  if (!folder) return {};
  while (const dirent* entry = readdir(folder.get())) {
    if (!std::string_view(entry->d_name).starts_with("hsperfdata_")) continue;
    std::string path =
        temporary_folder + "/" + entry->d_name + "/" + std::to_string(namespace_pid == 0 ? pid : namespace_pid);
    struct stat file;
    if (lstat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == process.st_uid) return path;
  }
  return {};
}

}  // namespace sparkprof
