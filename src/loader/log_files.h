// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/io/byte_source.h"
#include "base/io/line_reader.h"
#include "base/result.h"
#include "loader/application_loader.h"
#include "model/log_records.h"
#include "text_log/log_reader.h"

namespace sparkprof {

// Lines of a log in a recording, with the times found when it was read.
struct RecordedLog {
  std::shared_ptr<const LogRecords> records;
  std::vector<uint32_t> rows;  // rows of `records`, in the order of the log
};

// One text log at or below the user's paths, or in a recording there.
struct LogFile {
  std::string path;
  std::function<Result<std::unique_ptr<ByteSource>>()> open;
  LogReaderOptions options;
  RecordedLog recorded = {};  // replaces `open`
};

// All text logs below `paths`, in order, each with the user's zone or the zone that aligns it with the other inputs of
// its application; logs in recordings come last. Accepts any file that is named itself. Fails if there are none.
// `problems`: files below the paths that are not read.
Result<std::vector<LogFile>> FindLogs(const std::vector<std::string>& paths, const LoaderOptions& options,
                                      InputProblems* problems);

struct ReadLog {
  int64_t lines = 0;
  std::string problem;  // damaged or truncated file, overlong lines, or an uncertain layout; empty = none
};

// Passes every record of the log to `handler`. Fails if nothing can be read.
Result<ReadLog> ReadLogRecords(const LogFile& log, const LineLimits& limits, LogRecordHandler* handler);

}  // namespace sparkprof
