// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "text_log/log_filter.h"
#include "text_log/log_reader.h"

namespace sparkprof {

// An output mode of `sparkprof logs`: receives the records file by file, then prints.
class LogAnswer : public LogRecordHandler {
 public:
  virtual void BeginFile(const std::string& path, LogFilter* filter) = 0;
  virtual void EndFile(int64_t lines) = 0;

  // Returns false if there is nothing to print.
  virtual bool Print() = 0;
};

std::unique_ptr<LogAnswer> MakeRecordsAnswer(bool json, bool several_files);
std::unique_ptr<LogAnswer> MakeErrorsAnswer(bool json);
std::unique_ptr<LogAnswer> MakeTemplatesAnswer(bool json);
std::unique_ptr<LogAnswer> MakeAssignAnswer(bool json);
std::unique_ptr<LogAnswer> MakeChunksAnswer(bool json);

}  // namespace sparkprof
