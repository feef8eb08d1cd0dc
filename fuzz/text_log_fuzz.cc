// SPDX-License-Identifier: Apache-2.0
// Any bytes as lines of a text log, in blocks of any size: every line is in one record, the application's tables fit
// together, and errors, templates and chunks can be made of it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "text_log/chunk_finder.h"
#include "text_log/error_collector.h"
#include "text_log/template_miner.h"
#include "text_log/text_log_reader.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

class Checker : public sparkprof::LogRecordHandler {
 public:
  void OnRecord(const sparkprof::LogRecord& record) override {
    Require(record.line > 0 && record.line_count > 0);
    errors.Add(record);
    chunks.Add(miner.Add(record.message, record.level, record.time_ns), 0, record.thread, record.line, record.time_ns);
  }
  sparkprof::ErrorCollector errors;
  sparkprof::TemplateMiner miner{{.max_templates = 64}};
  sparkprof::ChunkFinder chunks;
};

// The text in blocks of whole lines, of about `block` bytes, to `reader`.
template <typename Reader>
void FeedBlocks(std::string_view rest, size_t block, Reader* reader) {
  while (!rest.empty()) {
    const size_t newline = rest.find('\n', std::min(block, rest.size()) - 1);
    const size_t end = newline == std::string_view::npos ? rest.size() : newline + 1;
    reader->AddLines(rest.substr(0, end));
    rest.remove_prefix(end);
  }
}

void ReadRecords(std::string_view text, size_t block) {
  Checker checker;
  sparkprof::LogReader records(&checker);
  FeedBlocks(text, block, &records);
  records.Finish();
  checker.errors.Errors();
  checker.chunks.Chunks();
}

void ReadApplication(std::string_view text, size_t block) {
  sparkprof::Application application;
  sparkprof::TextLogReader reader(&application);
  reader.BeginFile("fuzz");
  FeedBlocks(text, block, &reader);
  reader.EndFile();
  reader.Finish();
  const sparkprof::Tasks& tasks = application.tasks;
  for (size_t row = 0; row < tasks.Size(); ++row) {
    Require(tasks.stage[row] < static_cast<int32_t>(application.stages.size()));
    Require(tasks.executor[row] < static_cast<int32_t>(application.executors.size()));
  }
  const sparkprof::LogRecords& logs = application.logs;
  for (size_t row = 0; row < logs.Size(); ++row) {
    Require(logs.template_row[row] < logs.templates.size() && logs.source[row] < logs.sources.size());
    Require(logs.Text(row).size() <= 3 * sparkprof::LogRecords::kMaxRecordText);
  }
}

}  // namespace

// The first byte chooses the size of blocks, the input's size which of the two readers gets them: both take twice the
// time.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t block = 1 + data[0] % 64;
  if (size % 2 == 0) {
    ReadRecords(text, block);
  } else {
    ReadApplication(text, block);
  }
  return 0;
}
