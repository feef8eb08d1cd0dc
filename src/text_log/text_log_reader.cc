// SPDX-License-Identifier: Apache-2.0
#include "text_log/text_log_reader.h"

#include <optional>

#include "text_log/log_reader.h"
#include "text_log/log_reconstruction.h"
#include "text_log/log_record_store.h"
#include "text_log/missing_dates.h"

namespace sparkprof {

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
