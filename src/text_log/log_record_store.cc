// SPDX-License-Identifier: Apache-2.0
#include "text_log/log_record_store.h"

#include <algorithm>

#include "base/text/text.h"

namespace sparkprof {
namespace {

bool IsImportant(LogLevel level) { return level >= LogLevel::kWarn; }

}  // namespace

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

}  // namespace sparkprof
