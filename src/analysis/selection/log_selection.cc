// SPDX-License-Identifier: Apache-2.0
#include "analysis/selection/log_selection.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "text_log/log_reader.h"

namespace sparkprof {
namespace {

constexpr size_t kSevereFactor = 10;
// Maximum number of records per template.
constexpr std::array<size_t, 10> kSteps = {30'000, 10'000, 3'000, 1'000, 300, 100, 30, 10, 3, 1};

size_t SizeOf(const LogRecords& logs, size_t row, const LogQuota& quota) {
  return std::min(logs.Text(row).size(), quota.bytes_of_record);
}

bool Fits(const LogRecords& logs, const std::vector<uint32_t>& rows, const LogQuota& quota) {
  if (rows.size() > quota.rows) return false;
  size_t bytes = 0;
  for (const uint32_t row : rows) bytes += SizeOf(logs, row, quota);
  return bytes <= quota.bytes;
}

// At most `most` of each template's records, severe ones and others separately, evenly spread.
std::vector<uint32_t> Thin(const LogRecords& logs, size_t most) {
  struct Count {
    size_t total = 0, seen = 0;
  };
  const auto severe = [&](size_t row) { return logs.level[row] >= LogLevel::kWarn; };
  std::vector<std::array<Count, 2>> counts(logs.templates.size());
  for (size_t row = 0; row < logs.Size(); ++row) ++counts[logs.template_row[row]][severe(row)].total;
  std::vector<uint32_t> rows;
  for (size_t row = 0; row < logs.Size(); ++row) {
    Count& count = counts[logs.template_row[row]][severe(row)];
    const size_t limit = severe(row) ? most * kSevereFactor : most;
    const size_t before = count.seen++;
    // Keeps the share even over the records so far.
    const bool take =
        count.total <= limit || before == 0 || before * limit / count.total != (before - 1) * limit / count.total;
    if (take) rows.push_back(static_cast<uint32_t>(row));
  }
  return rows;
}

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

std::vector<int64_t> TimesOf(const LogRecords& logs) {
  std::vector<int64_t> times(logs.Size());
  for (size_t row = 0; row < times.size(); ++row) {
    const bool follows = row > 0 && logs.source[row - 1] == logs.source[row];
    times[row] = logs.time_ns[row] > 0 ? logs.time_ns[row] : (follows ? times[row - 1] : 0);
  }
  return times;
}

std::vector<uint32_t> ChooseRows(const LogRecords& logs, const LogQuota& quota) {
  std::vector<uint32_t> rows(logs.Size());
  std::iota(rows.begin(), rows.end(), 0);
  for (size_t step = 0; step < kSteps.size() && !Fits(logs, rows, quota); ++step) rows = Thin(logs, kSteps[step]);
  if (!Fits(logs, rows, quota)) {  // very many templates: keeps the most severe ones
    std::ranges::stable_sort(rows, [&](uint32_t a, uint32_t b) { return logs.level[a] > logs.level[b]; });
    size_t bytes = 0, count = 0;
    while (count < std::min(rows.size(), quota.rows)) {
      bytes += SizeOf(logs, rows[count], quota);
      if (bytes > quota.bytes) break;
      ++count;
    }
    rows.resize(count);
  }
  const std::vector<int64_t> times = TimesOf(logs);
  std::ranges::sort(rows, [&](uint32_t a, uint32_t b) { return times[a] != times[b] ? times[a] < times[b] : a < b; });
  return rows;
}

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
