// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/io/byte_cursor.h"
#include "base/io/compression.h"
#include "base/io/input_buffer.h"
#include "base/text/text.h"
#include "inputs/archive.h"

namespace sparkprof {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kMagic = "\xd1\x11\xd3\x68\x91\xb5\xd7\xb6\x39\xdf\x41\x40\x92\xba\xe1\x50"sv;
constexpr size_t kTailSize = 8 + 4 + 16;  // offset of the meta index, version, magic
constexpr size_t kMaxIndexBytes = size_t{64} << 20;

// Number of bytes after the first one, for integers of org.apache.hadoop.io.file.tfile.Utils.
int ExtraBytes(int8_t first) {
  if (first >= -32) return 0;
  const int group = (first + 128) / 8;
  if (group >= 7) return 1;
  if (group >= 3) return 2;
  if (group >= 1) return 3;
  return first + 129;
}

// `rest`: bytes after the first one, big-endian.
int64_t TFileInteger(int8_t first, int extra, uint64_t rest) {
  switch (extra) {
    case 0:
      return first;
    case 1:
      return (static_cast<int64_t>(first + 52) << 8) | static_cast<int64_t>(rest);
    case 2:
      return (static_cast<int64_t>(first + 88) << 16) | static_cast<int64_t>(rest);
    case 3:
      if (first >= -120) return (static_cast<int64_t>(first + 112) << 24) | static_cast<int64_t>(rest);
      break;
    default:
      break;
  }
  // A plain two's complement number of `extra` bytes.
  const int unused = 64 - 8 * extra;
  return static_cast<int64_t>(rest << unused) >> unused;
}

int64_t ReadInteger(ByteCursor* cursor) {
  const int8_t first = static_cast<int8_t>(cursor->Byte());
  const int extra = ExtraBytes(first);
  return TFileInteger(first, extra, cursor->BigEndian(extra));
}

std::string_view ReadString(ByteCursor* cursor) { return cursor->Bytes(ReadInteger(cursor)); }

struct Region {
  int64_t offset = 0, compressed_size = 0, size = 0;
};

Region ReadRegion(ByteCursor* cursor) {
  Region region;
  region.offset = ReadInteger(cursor);
  region.compressed_size = ReadInteger(cursor);
  region.size = ReadInteger(cursor);
  return region;
}

// Reads an uncompressed block with TFile's encodings.
class BlockReader {
 public:
  BlockReader(std::unique_ptr<ByteSource> source, const std::string& name) : input_(std::move(source), name) {}

  bool AtEnd() { return input_.Peek(1).empty(); }
  bool Failed() const { return failed_; }
  Error Fault(std::string_view what) const { return input_.Fault(what); }

  int64_t Integer() {
    const std::string_view first = Take(1);
    if (first.empty()) return 0;
    const int8_t byte = static_cast<int8_t>(first[0]);
    const int extra = ExtraBytes(byte);
    return TFileInteger(byte, extra, extra == 0 ? 0 : ByteCursor(Take(static_cast<size_t>(extra))).BigEndian(extra));
  }

  // Returns `size` bytes, valid until the next call.
  std::string_view Take(size_t size) {
    const std::string_view bytes = input_.Peek(size).substr(0, size);
    if (bytes.size() < size) {
      failed_ = true;
      return {};
    }
    input_.Consume(size);
    return bytes;
  }

  // Returns up to `size` of the available bytes, at least one unless the block ends.
  std::string_view TakeSome(size_t size) {
    const std::string_view bytes = input_.Peek(1).substr(0, size);
    input_.Consume(bytes.size());
    return bytes;
  }

 private:
  InputBuffer input_;
  bool failed_ = false;
};

// Reads a value of a block: chunks of { length, bytes }; after a negative length, more chunks follow.
class ValueReader {
 public:
  explicit ValueReader(BlockReader* block) : block_(block) {}

  // Returns up to `size` of the value's next bytes; empty at its end.
  std::string_view TakeSome(size_t size) {
    while (left_ == 0 && !last_) {
      const int64_t length = block_->Integer();
      if (block_->Failed() || length == INT64_MIN) {
        last_ = true;
        return {};
      }
      last_ = length >= 0;
      left_ = static_cast<uint64_t>(length < 0 ? -length : length);
    }
    const std::string_view bytes =
        left_ == 0 ? std::string_view() : block_->TakeSome(static_cast<size_t>(std::min<uint64_t>(left_, size)));
    left_ -= bytes.size();
    offset_ += static_cast<int64_t>(bytes.size());
    if (bytes.empty()) last_ = true, left_ = 0;
    return bytes;
  }

  // Returns exactly `size` bytes, or nullopt.
  std::optional<std::string> Take(size_t size) {
    std::string all;
    while (all.size() < size) {
      const std::string_view bytes = TakeSome(size - all.size());
      if (bytes.empty()) return std::nullopt;
      all.append(bytes);
    }
    return all;
  }

  std::optional<std::string> Utf() {
    const std::optional<std::string> length = Take(2);
    if (!length) return std::nullopt;
    return Take(ByteCursor(*length).Short());
  }

  // Returns the number of skipped bytes, which may be less than `size`.
  int64_t Skip(int64_t size) {
    int64_t skipped = 0;
    while (skipped < size) {
      const std::string_view bytes = TakeSome(static_cast<size_t>(size - skipped));
      if (bytes.empty()) break;
      skipped += static_cast<int64_t>(bytes.size());
    }
    return skipped;
  }

  int64_t Offset() const { return offset_; }

 private:
  BlockReader* block_;
  uint64_t left_ = 0;
  bool last_ = false;
  int64_t offset_ = 0;
};

class TFileLogSource : public ByteSource {
 public:
  TFileLogSource(std::unique_ptr<BlockReader> block, int64_t size, std::string name)
      : block_(std::move(block)), value_(block_.get()), left_(size), name_(std::move(name)) {}

  // Seeks to a log: byte `offset` of the value of the `record`th record.
  bool Seek(int64_t record, int64_t offset) {
    for (int64_t skipped = 0;; ++skipped) {
      block_->Take(static_cast<size_t>(std::clamp<int64_t>(block_->Integer(), 0, kMaxIndexBytes)));
      value_ = ValueReader(block_.get());
      if (block_->Failed()) return false;
      if (skipped == record) break;
      while (!value_.TakeSome(SIZE_MAX).empty()) continue;
    }
    return value_.Skip(offset) == offset;
  }

  Result<size_t> Read(char* bytes, size_t size) override {
    if (left_ == 0) return 0;
    const std::string_view some =
        value_.TakeSome(static_cast<size_t>(std::min<int64_t>(left_, static_cast<int64_t>(size))));
    if (some.empty()) {
      left_ = 0;
      return tl::unexpected(block_->Fault(name_ + " is truncated in this block"));
    }
    some.copy(bytes, some.size());
    left_ -= static_cast<int64_t>(some.size());
    return some.size();
  }

 private:
  std::unique_ptr<BlockReader> block_;
  ValueReader value_;
  int64_t left_;
  const std::string name_;
};

class TFile {
 public:
  TFile(SharedBytes bytes, std::string name, const ExpansionLimits& limits)
      : bytes_(std::move(bytes)), name_(std::move(name)), limits_(limits) {}

  Result<void> ReadIndex() {
    ByteCursor tail(bytes_.bytes.substr(bytes_.bytes.size() - kTailSize));
    const int64_t offset = tail.Long();
    if (offset < 0 || static_cast<uint64_t>(offset) > bytes_.bytes.size())
      return Damaged("the offset of its meta index");
    ByteCursor meta(bytes_.bytes.substr(static_cast<size_t>(offset)));
    const int64_t count = ReadInteger(&meta);
    for (int64_t entry = 0; entry < count && meta.Ok(); ++entry) {
      const std::string_view block = ReadString(&meta);
      const std::string algorithm(ReadString(&meta));
      const Region region = ReadRegion(&meta);
      if (block == "data:BCFile.index") return ReadDataIndex(algorithm, region);
    }
    return Damaged("its meta index");
  }

  Result<std::unique_ptr<BlockReader>> OpenBlock(std::string_view algorithm, const Region& region) const {
    const uint64_t size = bytes_.bytes.size();
    if (region.offset < 0 || region.compressed_size < 0 || static_cast<uint64_t>(region.offset) > size ||
        static_cast<uint64_t>(region.compressed_size) > size - static_cast<uint64_t>(region.offset)) {
      return Damaged("the place of a block");
    }
    const std::string_view view =
        bytes_.bytes.substr(static_cast<size_t>(region.offset), static_cast<size_t>(region.compressed_size));
    Result<std::unique_ptr<ByteSource>> source =
        DecodeHadoop(algorithm, ViewSource(view, bytes_.owner), region.compressed_size, name_, limits_);
    if (!source) return tl::unexpected(source.error());
    return std::make_unique<BlockReader>(std::move(*source), name_);
  }

  // Lists the logs of every container in every block.
  void List(const std::shared_ptr<const TFile>& self, Archive* archive) const {
    for (size_t block = 0; block < blocks_.size(); ++block) ListBlock(self, block, archive);
  }

 private:
  tl::unexpected<Error> Damaged(std::string_view what) const {
    return Fail(fmt::format("{}: damaged aggregated logs: {} is wrong", name_, what));
  }

  Result<void> ReadDataIndex(const std::string& algorithm, const Region& region) {
    Result<std::unique_ptr<BlockReader>> block = OpenBlock(algorithm, region);
    if (!block) return tl::unexpected(block.error());
    std::string content;
    for (std::string_view some = (*block)->TakeSome(SIZE_MAX); !some.empty() && content.size() < kMaxIndexBytes;
         some = (*block)->TakeSome(SIZE_MAX)) {
      content.append(some);
    }
    ByteCursor cursor(content);
    algorithm_ = ReadString(&cursor);
    const int64_t count = ReadInteger(&cursor);
    for (int64_t read = 0; read < count && !cursor.AtEnd(); ++read) {
      const Region data = ReadRegion(&cursor);
      if (!cursor.Ok()) return Damaged("its block index");
      blocks_.push_back(data);
    }
    return cursor.Ok() ? Result<void>() : Damaged("its block index");
  }

  void ListBlock(const std::shared_ptr<const TFile>& self, size_t block, Archive* archive) const {
    const std::string block_name = fmt::format("block {}", block);
    Result<std::unique_ptr<BlockReader>> opened = OpenBlock(algorithm_, blocks_[block]);
    if (!opened) {
      archive->damaged.push_back({block_name, opened.error().message});
      return;
    }
    BlockReader& reader = **opened;
    for (int64_t record = 0; !reader.AtEnd(); ++record) {
      const int64_t key_size = reader.Integer();
      const std::string key(key_size < 0 ? std::string_view() : reader.Take(static_cast<size_t>(key_size)));
      const std::string container(ByteCursor(key).Utf());
      ValueReader value(&reader);
      if (!reader.Failed() && container.starts_with("container_")) {
        ListContainer(self, block, record, container, &value, archive);
      }
      while (!value.TakeSome(SIZE_MAX).empty()) continue;
      if (reader.Failed() || key_size < 0) break;
    }
    if (reader.Failed()) archive->damaged.push_back({block_name, reader.Fault("damaged or truncated").message});
  }

  // Reads { name, length as text, bytes } for each log of a container.
  void ListContainer(const std::shared_ptr<const TFile>& self, size_t block, int64_t record,
                     const std::string& container, ValueReader* value, Archive* archive) const {
    for (;;) {
      const std::optional<std::string> log = value->Utf();
      if (!log) return;
      const std::optional<std::string> length = value->Utf();
      const std::optional<int64_t> size = length ? ParseInteger(*length) : std::nullopt;
      if (!size || *size < 0) {
        archive->damaged.push_back({container + "/" + *log, "its length is not a number"});
        return;
      }
      const int64_t offset = value->Offset();
      const std::string name = container + "/" + *log;
      const int64_t there = value->Skip(*size);
      archive->entries.push_back(
          {.name = name, .host = {}, .size = there, .open = [self, block, record, offset, size, name] {
             return self->OpenLog(block, record, offset, *size, name);
           }});
      if (there < *size) return;
    }
  }

  Result<std::unique_ptr<ByteSource>> OpenLog(size_t block, int64_t record, int64_t offset, int64_t size,
                                              const std::string& log) const {
    Result<std::unique_ptr<BlockReader>> opened = OpenBlock(algorithm_, blocks_[block]);
    if (!opened) return tl::unexpected(opened.error());
    auto source = std::make_unique<TFileLogSource>(std::move(*opened), size, log);
    if (!source->Seek(record, offset)) return Fail(fmt::format("{}!{}: damaged before its start", name_, log));
    return source;
  }

  const SharedBytes bytes_;
  const std::string name_;
  const ExpansionLimits limits_;
  std::string algorithm_;
  std::vector<Region> blocks_;
};

}  // namespace

bool IsTFileTail(std::string_view tail) { return tail.size() >= kTailSize && tail.ends_with(kMagic); }

Result<std::unique_ptr<ByteSource>> DecodeHadoop(std::string_view algorithm, std::unique_ptr<ByteSource> source,
                                                 int64_t compressed_size, const std::string& name,
                                                 const ExpansionLimits& limits) {
  if (algorithm == "none") return source;
  if (algorithm == "gz") {
    source = DecodeZlib(std::move(source), name);
  } else if (algorithm == "zstd") {
    source = DecodeZstd(std::move(source), name);
  } else {
    return Fail(fmt::format("{}: unsupported compression '{}'; supported: none, gz, zstd", name, algorithm));
  }
  return LimitExpansion(std::move(source), compressed_size, name, limits);
}

Result<Archive> ListTFile(const SharedBytes& archive, const std::string& name, const ExpansionLimits& limits) {
  const auto file = std::make_shared<TFile>(archive, name, limits);
  if (const Result<void> read = file->ReadIndex(); !read) return tl::unexpected(read.error());
  Archive listed;
  file->List(file, &listed);
  // The file is named after the node: HOST_PORT.
  const std::string_view node = std::string_view(name).substr(name.find_last_of("/!") + 1);
  const std::string host(node.substr(0, node.find('_')));
  for (ArchiveEntry& entry : listed.entries) entry.host = host;
  return listed;
}

}  // namespace sparkprof
