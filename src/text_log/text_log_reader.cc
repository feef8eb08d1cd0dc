// SPDX-License-Identifier: Apache-2.0
#include "text_log/text_log_reader.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/text/text.h"
#include "model/log_records.h"
#include "text_log/log_reader.h"
#include "text_log/log_reconstruction.h"
#include "text_log/missing_dates.h"
#include "text_log/template_miner.h"

namespace sparkprof {
namespace {

bool IsImportant(LogLevel level) { return level >= LogLevel::kWarn; }

}  // namespace

// Puts records of several files into LogRecords, with their templates, within its limits: a quarter of the room is for
// warnings and errors alone.
class LogRecordStore {
 public:
  explicit LogRecordStore(LogRecords* records);

  void BeginFile(std::string_view name);
  void Add(const LogRecord& record);
  void EndFile(int32_t executor);  // row of the Application::executors that wrote the file, -1 = unknown
  void Finish();

 private:
  bool HasRoom(LogLevel level, size_t size) const;

  LogRecords* records_;
  TemplateMiner miner_;
  size_t file_begin_ = 0;  // row of the file's first record
};

LogRecordStore::LogRecordStore(LogRecords* records) : records_(records) {}

void LogRecordStore::BeginFile(std::string_view name) {
  records_->sources.push_back(ToUtf8(name));
  file_begin_ = records_->Size();
}

bool LogRecordStore::HasRoom(LogLevel level, size_t size) const {
  // Unimportant records leave a quarter to important ones.
  const size_t share = IsImportant(level) ? 4 : 3;
  return records_->Size() < LogRecords::kMaxRows / 4 * share &&
         records_->text.size() + size <= LogRecords::kMaxTextSize / 4 * share;
}

void LogRecordStore::Add(const LogRecord& record) {
  const uint32_t id = miner_.Add(record.message, record.level, record.time_ns);
  const std::string_view text = record.text.substr(0, LogRecords::kMaxRecordText);
  if (!HasRoom(record.level, text.size())) {
    ++records_->dropped;
    return;
  }
  records_->time_ns.push_back(record.time_ns);
  records_->level.push_back(record.level);
  records_->executor.push_back(-1);
  records_->source.push_back(static_cast<uint32_t>(records_->sources.size() - 1));
  records_->line.push_back(record.line);
  records_->template_row.push_back(id);
  if (IsUtf8(text)) {
    records_->text.append(text);
  } else {
    records_->text.append(ToUtf8(text));
  }
  records_->text_end.push_back(records_->text.size());
}

void LogRecordStore::EndFile(int32_t executor) {
  std::fill(records_->executor.begin() + static_cast<ptrdiff_t>(file_begin_), records_->executor.end(), executor);
}

void LogRecordStore::Finish() {
  std::unordered_map<uint32_t, uint32_t> rows;  // by the miner's id
  records_->templates.assign(1, {});
  for (TemplateMiner::Template& found : miner_.Templates()) {
    rows.emplace(found.id, static_cast<uint32_t>(records_->templates.size()));
    found.values.text = ToUtf8(found.values.text);
    records_->templates.push_back(std::move(found.values));
  }
  for (uint32_t& id : records_->template_row) {
    const auto row = rows.find(id);
    id = row == rows.end() ? 0 : row->second;
  }
}

class TextLogReader::Impl : public LogRecordHandler {
 public:
  Impl(Application* application, TextLogOptions options) : application_(application), reconstruction_(application) {
    if (options.templates) store_.emplace(&application->logs);
  }

  void BeginFile(std::string_view name, const LogReaderOptions& options) {
    reconstruction_.BeginFile();
    if (store_) store_->BeginFile(name);
    name_ = name;
    LogReaderOptions named = options;
    named.name_ns = DayOfName(name);
    reader_.emplace(this, named);
  }

  void AddLines(std::string_view lines) { reader_->AddLines(lines); }

  void EndFile() {
    reader_->Finish();
    reconstruction_.EndFile();
    if (store_) store_->EndFile(reconstruction_.Executor());
    cut_records_ += reader_->CutRecords();
    for (const std::string& doubt : reader_->Doubts()) application_->Warn(0, name_ + ": " + doubt);
    reader_.reset();
  }

  void Finish() {
    reconstruction_.Finish();
    if (store_) store_->Finish();
    if (cut_records_ > 0) application_->losses.push_back({"log_records", "longer than 1 MiB, cut", cut_records_});
  }

  void OnRecord(const LogRecord& record) override {
    if (record.has_header) reconstruction_.Add(record);
    if (store_) store_->Add(record);
  }

  bool IsDriver() const { return reconstruction_.IsDriver(); }

 private:
  Application* application_;
  LogReconstruction reconstruction_;
  std::optional<LogRecordStore> store_;
  std::optional<LogReader> reader_;
  std::string name_;
  int64_t cut_records_ = 0;
};

TextLogReader::TextLogReader(Application* application, TextLogOptions options)
    : impl_(std::make_unique<Impl>(application, options)) {}
TextLogReader::~TextLogReader() = default;

void TextLogReader::BeginFile(std::string_view name, const LogReaderOptions& options) {
  impl_->BeginFile(name, options);
}
void TextLogReader::AddLines(std::string_view lines) { impl_->AddLines(lines); }
void TextLogReader::EndFile() { impl_->EndFile(); }
void TextLogReader::Finish() { impl_->Finish(); }
bool TextLogReader::IsDriver() const { return impl_->IsDriver(); }

}  // namespace sparkprof
