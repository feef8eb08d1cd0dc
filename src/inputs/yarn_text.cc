// SPDX-License-Identifier: Apache-2.0
// The output of `yarn logs` (LogToolUtils, LogCLIHelpers), in its older and newer forms:
//   Container: container_e01_1600000000000_0001_01_000002 on host-1_45454
//   LogAggregationType: AGGREGATED
//   ==================
//   LogType:stderr
//   LogLastModifiedTime:…            or  Log Upload Time:…
//   LogLength:1234
//   LogContents:                     or  Log Contents:
//   (1234 bytes)
//   End of LogType:stderr
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/io/line_reader.h"
#include "base/text/text.h"
#include "inputs/archive.h"

namespace sparkprof {
namespace {

// Keeps streams positioned at the end of a log, so that reading the logs in order reads the text once.
class YarnText {
 public:
  explicit YarnText(OpenBytes open) : open_(std::move(open)) {}

  struct Stream {
    std::unique_ptr<ByteSource> source;
    int64_t offset = 0;
  };

  // Returns a stream at `offset`.
  Result<Stream> Borrow(int64_t offset) {
    Stream stream = TakeNearest(offset);
    if (stream.source == nullptr) {
      Result<std::unique_ptr<ByteSource>> opened = open_();
      if (!opened) return tl::unexpected(opened.error());
      stream.source = std::move(*opened);
    }
    std::string skipped(kSkipBytes, '\0');
    while (stream.offset < offset) {
      const size_t wanted = static_cast<size_t>(std::min<int64_t>(offset - stream.offset, kSkipBytes));
      const Result<size_t> got = stream.source->Read(skipped.data(), wanted);
      if (!got) return tl::unexpected(got.error());
      if (*got == 0)
        return Fail(fmt::format("the output of `yarn logs` now ends at byte {}, before the log at byte {}",
                                stream.offset, offset));
      stream.offset += static_cast<int64_t>(*got);
    }
    return stream;
  }

  void Return(Stream stream) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() >= kMaxIdle) idle_.erase(idle_.begin());
    const int64_t offset = stream.offset;
    idle_.emplace(offset, std::move(stream));
  }

 private:
  static constexpr int64_t kSkipBytes = 1 << 16;
  static constexpr size_t kMaxIdle = 8;

  Stream TakeNearest(int64_t offset) {
    const std::lock_guard lock(mutex_);
    auto after = idle_.upper_bound(offset);
    if (after == idle_.begin()) return {};
    --after;
    Stream stream = std::move(after->second);
    idle_.erase(after);
    return stream;
  }

  const OpenBytes open_;
  std::mutex mutex_;
  std::multimap<int64_t, Stream> idle_;  // by offset
};

class YarnLogSource : public ByteSource {
 public:
  YarnLogSource(std::shared_ptr<YarnText> text, YarnText::Stream stream, int64_t size)
      : text_(std::move(text)), stream_(std::move(stream)), left_(size) {}
  ~YarnLogSource() override {
    if (stream_.source != nullptr) text_->Return(std::move(stream_));
  }

  Result<size_t> Read(char* bytes, size_t size) override {
    const size_t wanted = static_cast<size_t>(std::min<int64_t>(left_, static_cast<int64_t>(size)));
    if (wanted == 0) return 0;
    Result<size_t> got = stream_.source->Read(bytes, wanted);
    if (!got || *got == 0) {
      left_ = 0;
      stream_.source.reset();
      return got;
    }
    left_ -= static_cast<int64_t>(*got);
    stream_.offset += static_cast<int64_t>(*got);
    return got;
  }

 private:
  std::shared_ptr<YarnText> text_;
  YarnText::Stream stream_;
  int64_t left_;
};

// Finds the logs in the lines of the text.
class Scanner {
 public:
  Scanner(std::shared_ptr<YarnText> text, Archive* archive) : text_(std::move(text)), archive_(archive) {}

  // `line`, without its line end, starts at `offset`; the next one at `next`.
  void AddLine(std::string_view line, int64_t offset, int64_t next) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (in_log_) {
      const int64_t size = offset - begin_;
      // A log may quote such lines, so they end it only after its full length.
      const bool ends =
          size >= length_ && (line.starts_with("End of LogType:") || line.starts_with("Container: container_"));
      if (!ends) return;
      EndLog(size);
    }
    if (line.starts_with("Container: ")) {
      const size_t host = line.find(" on ");
      container_ = line.substr(11, host == std::string_view::npos ? host : host - 11);
      host_ = host == std::string_view::npos ? std::string_view() : line.substr(host + 4);
      host_ = host_.substr(0, host_.find('_'));
    } else if (line.starts_with("LogType:")) {
      log_ = Trim(line.substr(8));
      length_ = 0;
    } else if (line.starts_with("LogLength:")) {
      length_ = std::max<int64_t>(0, ParseInteger(Trim(line.substr(10))).value_or(0));
    } else if ((line.starts_with("LogContents:") || line.starts_with("Log Contents:")) && !log_.empty()) {
      in_log_ = true;
      begin_ = next;
    }
  }

  void End(int64_t offset) {
    if (in_log_) EndLog(offset - begin_);
  }

 private:
  void EndLog(int64_t size) {
    in_log_ = false;
    // The line end before "End of LogType" belongs to that line. Any other difference means that the length is wrong.
    if (size == length_ + 1) size = length_;
    std::string name = container_ + "/" + log_;
    if (const int piece = pieces_[name]++; piece > 0) name += fmt::format(".{}", piece);
    archive_->entries.push_back({.name = std::move(name),
                                 .host = host_,
                                 .size = size,
                                 .open = [text = text_, begin = begin_, size]() -> Result<std::unique_ptr<ByteSource>> {
                                   Result<YarnText::Stream> stream = text->Borrow(begin);
                                   if (!stream) return tl::unexpected(stream.error());
                                   return std::make_unique<YarnLogSource>(text, std::move(*stream), size);
                                 }});
    log_.clear();
  }

  std::shared_ptr<YarnText> text_;
  Archive* archive_;
  std::string container_ = "container";
  std::string host_;
  std::string log_;
  int64_t length_ = 0;
  int64_t begin_ = 0;
  bool in_log_ = false;
  std::map<std::string, int> pieces_;
};

}  // namespace

Result<Archive> ListYarnText(const OpenBytes& open) {
  Result<std::unique_ptr<ByteSource>> source = open();
  if (!source) return tl::unexpected(source.error());
  Archive archive;
  Scanner scanner(std::make_shared<YarnText>(open), &archive);
  LineReader reader(std::move(*source));
  int64_t offset = 0, dropped = 0;
  for (std::string_view lines = reader.Next(); !lines.empty(); lines = reader.Next()) {
    offset += reader.DroppedBytes() - dropped;
    dropped = reader.DroppedBytes();
    while (!lines.empty()) {
      const size_t before = lines.size();
      const std::string_view line = TakeLine(&lines);
      const int64_t end = offset + static_cast<int64_t>(before - lines.size());
      scanner.AddLine(line, offset, end);
      offset = end;
    }
  }
  scanner.End(offset + reader.DroppedBytes() - dropped);
  if (reader.SourceError()) archive.damaged.push_back({"the rest", reader.SourceError()->message});
  return archive;
}

}  // namespace sparkprof
