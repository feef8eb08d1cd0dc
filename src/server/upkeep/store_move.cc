// SPDX-License-Identifier: Apache-2.0
#include "server/upkeep/store_move.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/io/file.h"
#include "base/text/json_parser.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"
#include "http/signing.h"
#include "model/segment/block.h"
#include "recording/recordings.h"
#include "recording/source_grouping.h"
#include "server/folders/collector_files.h"
#include "server/shared/block_objects.h"
#include "server/shared/shared_log.h"
#include "storage/storage.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kAnnounceEvery{30};
constexpr size_t kNameDigits = 16;

struct StoredRecording {
  std::string entry, path;
  int64_t size = 0, modified_ns = 0;
};

class Move {
 public:
  Move(Storage* storage, std::string name, MovedStore* moved)
      : storage_(storage), log_(storage, name), writer_(std::move(name)), moved_(moved) {
    log_.SetListener([this](uint64_t number, std::string_view lines) {
      for (const std::string_view line : Split(lines, '\n')) NoteLine(number, line);
    });
  }

  Result<void> ReadLog() { return log_.Read(); }

  // Adds an entry by its line of access.jsonl. Returns false if the store has another entry of this name.
  Result<bool> AddEntry(const std::string& name, const std::string& line) {
    while (true) {
      const uint64_t position = log_.Position();
      if (const auto known = lines_.find(name); known != lines_.end()) return known->second.first == line;
      const Result<bool> appended = log_.Append(line + "\n", position);
      if (!appended || *appended) return appended;
    }
  }

  Result<void> AddFile(const std::string& path, const std::string& content) {
    JsonWriter json;
    json.BeginObject().Member("file", path).Member("content", content).EndObject();
    if (files_.contains(path)) return {};  // from an earlier call, or the store's own
    return log_.Append(json.Take() + "\n");
  }

  Result<void> AddRecording(const StoredRecording& recording) {
    const Result<MappedFile> content = MappedFile::Open(recording.path);
    if (!content) return tl::unexpected(content.error());
    Result<void> added;
    size_t last = std::string::npos;
    const Result<RecordingStatus> read = ReadBlocksInPlace(content->Bytes(), recording.path, [&](BlockInPlace&& block) {
      // A block may have several segments.
      if (added && block.offset != last) added = AddBlock(recording, block.bytes);
      last = block.offset;
    });
    if (!added) return added;
    if (!read) return tl::unexpected(read.error());
    if (read->damaged_blocks + read->skipped_bytes > 0) {
      moved_->problems.push_back(fmt::format("{}: its damaged blocks were left out", recording.path));
    }
    return {};
  }

  Result<void> Flush() {
    if (object_.parts.empty()) return {};
    const auto now = std::chrono::steady_clock::now();
    if (announced_.time_since_epoch().count() == 0 || now - announced_ > kAnnounceEvery) {
      JsonWriter json;
      json.BeginObject().Member("writer", writer_).EndObject();
      if (Result<void> announced = log_.Append(json.Take() + "\n"); !announced) return announced;
      announced_ = now;
    }
    const std::string name = BlockObjectName{writer_, ++number_}.In(storage_->Root());
    const std::string content = EncodeBlockObject(object_);
    const Result<bool> created = storage_->Create(name, content);
    if (!created) return tl::unexpected(created.error());
    if (!*created) return Fail(name + ": has other content than this folder");
    ++moved_->objects;
    moved_->bytes += static_cast<int64_t>(content.size());
    object_ = {};
    size_ = 0;
    return {};
  }

 private:
  void NoteLine(uint64_t number, std::string_view line) {
    JsonParser parser;
    simdjson::dom::object object;
    if (parser.Parse(line).get_object().get(object) != simdjson::SUCCESS) return;
    if (const std::string_view name = TextAt(object, "entry"); !name.empty()) {
      lines_.try_emplace(std::string(name), line, number);
    }
    if (const std::string_view path = TextAt(object, "file"); !path.empty()) files_.emplace(path);
  }

  // Objects get the times of their recordings.
  Result<void> AddBlock(const StoredRecording& recording, std::string_view block) {
    const bool is_full = size_ + block.size() > kMaxBlockObject;
    if (is_full || (!object_.parts.empty() && object_.time_ns != recording.modified_ns)) {
      if (Result<void> flushed = Flush(); !flushed) return flushed;
    }
    object_.time_ns = recording.modified_ns;
    if (object_.parts.empty() || object_.parts.back().entry != recording.entry) {
      const auto line = lines_.find(recording.entry);
      object_.parts.push_back({.entry = recording.entry, .version = line == lines_.end() ? 0 : line->second.second});
    }
    object_.parts.back().blocks += block;
    size_ += block.size();
    return {};
  }

  Storage* const storage_;
  SharedLog log_;
  const std::string writer_;
  MovedStore* const moved_;
  // The first line of each entry in the store, and the number of its append.
  std::map<std::string, std::pair<std::string, uint64_t>> lines_;
  std::set<std::string> files_;  // files in the store
  std::chrono::steady_clock::time_point announced_ = {};
  BlockObject object_;
  uint64_t size_ = 0;
  uint64_t number_ = 0;
};

// Lines of access.jsonl by entry.
Result<std::map<std::string, std::string>> ReadEntries(const std::string& data) {
  std::map<std::string, std::string> entries;
  const std::string path = data + "/access.jsonl";
  if (!fs::exists(path)) return entries;
  const Result<std::string> content = ReadFile(path);
  if (!content) return tl::unexpected(content.error());
  JsonParser parser;
  for (const std::string& line : ReadCheckedLines(*content).lines) {
    simdjson::dom::object object;
    if (parser.Parse(line).get_object().get(object) != simdjson::SUCCESS) continue;
    const std::string name(TextAt(object, "entry"));
    if (TextAt(object, "state") == "removed") {
      entries.erase(name);
    } else if (!name.empty()) {
      entries[name] = WithChecksum(line);
    }
  }
  return entries;
}

}  // namespace

Result<MovedStore> MoveToStore(const std::string& data, const RecordingStore& recordings, const std::string& location) {
  MovedStore moved;
  Result<std::map<std::string, std::string>> lines = ReadEntries(data);
  if (!lines) return tl::unexpected(lines.error());
  std::map<std::string, std::string> entry_of_folder;
  for (const auto& [name, line] : *lines) {
    entry_of_folder[FileNameFor(name)] = name;
    entry_of_folder.try_emplace(OldFileNameFor(name), name);
  }

  const Result<std::vector<std::string>> paths = RecordingsBelow(recordings.Folder());
  if (!paths) return tl::unexpected(paths.error());
  std::vector<StoredRecording> all;
  std::string listing;  // a different listing gets different object names
  for (const std::string& path : *paths) {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) return tl::unexpected(SystemError(path, "cannot read"));
    const std::string folder = fs::path(path).parent_path().filename();
    const auto known = entry_of_folder.find(folder);
    const int64_t modified_ns = info.st_mtim.tv_sec * kNanosPerSecond + info.st_mtim.tv_nsec;
    listing += fmt::format("{} {} {}\n", path, static_cast<int64_t>(info.st_size), modified_ns);
    if (known == entry_of_folder.end() && !folder.starts_with(kUnidentified)) {
      moved.problems.push_back(
          fmt::format("{}: no line in access.jsonl; start a server on the folder once, which writes it", path));
      continue;
    }
    all.push_back({known == entry_of_folder.end() ? folder : known->second, path, static_cast<int64_t>(info.st_size),
                   modified_ns});
  }

  const Result<std::unique_ptr<Storage>> storage = OpenStorage(location);
  if (!storage) return tl::unexpected(storage.error());
  if (Result<void> made = MakeFoldersOfStore(storage->get()); !made) return tl::unexpected(made.error());
  Move move(storage->get(), "move-" + Sha256Hex(listing).substr(0, kNameDigits), &moved);
  if (Result<void> read = move.ReadLog(); !read) return tl::unexpected(read.error());
  std::set<std::string> left;
  for (const auto& [name, line] : *lines) {
    const Result<bool> added = move.AddEntry(name, line);
    if (!added) return tl::unexpected(added.error());
    moved.entries += *added ? 1 : 0;
    if (*added) continue;
    left.insert(name);
    moved.problems.push_back(fmt::format("{}: left behind: the store has another entry of this name", name));
  }
  for (const StoredRecording& recording : all) {
    if (left.contains(recording.entry)) continue;
    if (Result<void> added = move.AddRecording(recording); !added) return tl::unexpected(added.error());
  }
  if (Result<void> flushed = move.Flush(); !flushed) return tl::unexpected(flushed.error());
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(data + "/groups", error)) {
    const Result<std::string> content = ReadFile(file.path());
    if (!content) return tl::unexpected(content.error());
    const std::string path = "groups/" + file.path().filename().string();
    if (Result<void> added = move.AddFile(path, *content); !added) return tl::unexpected(added.error());
  }
  return moved;
}

}  // namespace sparkprof
