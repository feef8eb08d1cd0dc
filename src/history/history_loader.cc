// SPDX-License-Identifier: Apache-2.0
#include "history/history_loader.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

#include "base/io/byte_source.h"
#include "base/io/compression.h"
#include "base/io/line_reader.h"
#include "base/time.h"
#include "event_log/batch_queue.h"
#include "event_log/event_parser.h"
#include "history/history_batch.h"

namespace sparkprof {
namespace {

// Reads the lines of all files, block by block.
class BlockReader {
 public:
  explicit BlockReader(const HistorySource& source) : files_(source.files) {
    if (!source.open_lines) return;
    has_opened_ = true;
    reader_ = std::make_unique<LineReader>(source.open_lines());
  }

  // No lines = end.
  void Next(LineBlock* block) {
    while (true) {
      block->lines = {};
      if (reader_ == nullptr && !OpenNext()) return;
      reader_->Next(block);
      if (!block->lines.empty()) return;
      dropped_lines_ += reader_->DroppedLines();
      reader_.reset();
    }
  }

  bool HasOpened() const { return has_opened_; }
  const std::string& Problem() const { return problem_; }
  int64_t DroppedLines() const { return dropped_lines_; }

 private:
  bool OpenNext() {
    while (next_ < files_.size()) {
      const std::string& file = files_[next_++];
      Result<std::unique_ptr<ByteSource>> source = OpenFileSource(file);
      if (!source) {
        problem_ = source.error().message;
        continue;
      }
      has_opened_ = true;
      reader_ = std::make_unique<LineReader>(Decompress(std::move(*source), file));
      return true;
    }
    return false;
  }

  const std::vector<std::string>& files_;
  size_t next_ = 0;
  std::unique_ptr<LineReader> reader_;
  bool has_opened_ = false;
  std::string problem_;
  int64_t dropped_lines_ = 0;
};

}  // namespace

Result<History> LoadHistory(const HistorySource& source, size_t threads) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  History history;
  Replay replay;
  replay.history = &history;
  replay.last_update_ms = source.modified_ns / kNanosPerMilli;
  BlockReader reader(source);
  {
    EventParser parser;
    BatchQueue<HistoryBatch> batches([&](LineBlock* block) { reader.Next(block); }, threads);
    while (HistoryBatch* const batch = batches.Next()) batch->Apply(&parser, &replay);
  }
  if (!reader.HasOpened()) return Fail(reader.Problem().empty() ? "the event log has no files" : reader.Problem());
  FinishReplay(&replay);
  history.damaged_events += reader.DroppedLines();
  return history;
}

}  // namespace sparkprof
