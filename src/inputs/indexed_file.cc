// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <memory>
#include <utility>

#include "base/io/byte_cursor.h"
#include "inputs/archive.h"
#include "inputs/java_object.h"

namespace sparkprof {
namespace {

constexpr size_t kUuidSize = 36;
constexpr size_t kLengthSize = 4;

bool IsUuid(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdefABCDEF";
  if (text.size() != kUuidSize) return false;
  for (size_t position = 0; position < kUuidSize; ++position) {
    const bool dash = position == 8 || position == 13 || position == 18 || position == 23;
    if (dash ? text[position] != '-' : kHex.find(text[position]) == std::string_view::npos) return false;
  }
  return true;
}

// Reads the index of the last complete cycle: before the last UUID, or an earlier one if a later cycle is truncated.
std::shared_ptr<const JavaValue> ReadIndex(std::string_view bytes) {
  const std::string_view uuid = bytes.substr(0, kUuidSize);
  // Limits the work, because every UUID may appear to follow an index.
  uint64_t left = 16 * uint64_t{bytes.size()};
  for (size_t place = bytes.rfind(uuid); place != std::string_view::npos && place > kUuidSize + kLengthSize;
       place = bytes.rfind(uuid, place - 1)) {
    const size_t end = place - kLengthSize;
    const uint64_t length = ByteCursor(bytes.substr(end, kLengthSize)).BigEndian(kLengthSize);
    if (length > end || length > left) continue;
    left -= length;
    std::shared_ptr<const JavaValue> index = ReadJavaObject(bytes.substr(end - static_cast<size_t>(length), length));
    if (index != nullptr && index->Field("logMetas") != nullptr) return index;
  }
  return nullptr;
}

int64_t IntegerOf(const JavaValue& object, std::string_view field) {
  const JavaValue* const value = object.Field(field);
  return value == nullptr ? 0 : value->integer;
}

std::string TextOf(const JavaValue& object, std::string_view field) {
  const JavaValue* const value = object.Field(field);
  return value == nullptr ? std::string() : value->text;
}

class IndexedFile {
 public:
  IndexedFile(const SharedBytes& bytes, const std::string& name, const ExpansionLimits& limits)
      : bytes_(bytes), name_(name), limits_(limits) {}

  Result<Archive> List() {
    const std::shared_ptr<const JavaValue> index = ReadIndex(bytes_.bytes);
    if (index == nullptr) {
      return Fail(fmt::format("{}: damaged aggregated logs: no complete index before a UUID {}", name_,
                              bytes_.bytes.substr(0, kUuidSize)));
    }
    algorithm_ = TextOf(*index, "compressName");
    const std::string node = TextOf(*index, "nodeId");
    host_ = node.substr(0, node.find(':'));
    for (const JavaValue* const cycle : index->Field("logMetas")->elements) {
      const JavaValue* const containers = cycle->Field("logMetas");
      if (containers == nullptr) continue;
      // Container IDs and log lists alternate.
      for (size_t entry = 1; entry < containers->elements.size(); entry += 2) {
        for (const JavaValue* const log : containers->elements[entry]->elements) AddLog(*log);
      }
    }
    return std::move(archive_);
  }

 private:
  void AddLog(const JavaValue& log) {
    std::string name = TextOf(log, "containerId") + "/" + TextOf(log, "fileName");
    // A log that grew over several cycles has a part in each.
    if (const int piece = pieces_[name]++; piece > 0) name += fmt::format(".{}", piece);
    const int64_t begin = IntegerOf(log, "startIndex"), size = IntegerOf(log, "fileCompressedSize");
    if (begin < 0 || size < 0 || static_cast<uint64_t>(begin) > bytes_.bytes.size() ||
        static_cast<uint64_t>(size) > bytes_.bytes.size() - static_cast<uint64_t>(begin)) {
      archive_.damaged.push_back({name, "its offset is outside the file"});
      return;
    }
    const std::string_view view = bytes_.bytes.substr(static_cast<size_t>(begin), static_cast<size_t>(size));
    archive_.entries.push_back(
        {.name = name,
         .host = host_,
         .size = size,
         .open = [shared = bytes_, view, algorithm = algorithm_, size, path = name_ + "!" + name, limits = limits_] {
           return DecodeHadoop(algorithm, ViewSource(view, shared.owner), size, path, limits);
         }});
  }

  const SharedBytes bytes_;
  const std::string name_;
  const ExpansionLimits limits_;
  std::string algorithm_;
  std::string host_;
  std::map<std::string, int> pieces_;
  Archive archive_;
};

}  // namespace

bool IsIndexedFile(std::string_view head) {
  return head.size() > kUuidSize && head[kUuidSize] == '\n' && IsUuid(head.substr(0, kUuidSize));
}

Result<Archive> ListIndexedFile(const SharedBytes& archive, const std::string& name, const ExpansionLimits& limits) {
  return IndexedFile(archive, name, limits).List();
}

}  // namespace sparkprof
