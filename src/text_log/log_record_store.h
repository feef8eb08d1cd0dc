// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "model/log_records.h"
#include "text_log/log_reader.h"
#include "text_log/template_miner.h"

namespace sparkprof {

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

}  // namespace sparkprof
