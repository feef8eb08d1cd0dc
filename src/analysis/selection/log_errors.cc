// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "analysis/selection/log_selection.h"
#include "text_log/log_reader.h"

namespace sparkprof {
namespace {

// Parses a stored record again and restores its time and position.
class KeptRecord : public LogRecordHandler {
 public:
  explicit KeptRecord(ErrorCollector* errors) : errors_(errors) {}

  // Records of one file have the same layouts.
  void BeginFile() { reader_.emplace(this); }

  void Add(const LogRecords& logs, size_t row) {
    logs_ = &logs;
    row_ = row;
    is_first_ = true;
    reader_->AddLines(logs.Text(row));
    reader_->Finish();
  }

  void OnRecord(const LogRecord& record) override {
    if (!std::exchange(is_first_, false)) return;
    LogRecord known = record;
    known.level = logs_->level[row_];
    known.time_ns = logs_->time_ns[row_];
    known.line = logs_->line[row_];
    errors_->Add(known);
  }

 private:
  ErrorCollector* errors_;
  std::optional<LogReader> reader_;
  const LogRecords* logs_ = nullptr;
  size_t row_ = 0;
  bool is_first_ = false;
};

}  // namespace

std::vector<LogError> ErrorsOf(const LogRecords& logs) {
  ErrorCollector errors;
  KeptRecord record(&errors);
  uint32_t source = UINT32_MAX;
  for (size_t row = 0; row < logs.Size(); ++row) {
    if (logs.level[row] < LogLevel::kWarn) continue;
    if (logs.source[row] != source) {
      source = logs.source[row];
      errors.BeginFile(logs.sources[source]);
      record.BeginFile();
    }
    record.Add(logs, row);
  }
  return errors.Errors();
}

}  // namespace sparkprof
