// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/application.h"
#include "model/log_records.h"
#include "text_log/error_collector.h"

namespace sparkprof {

struct LogQuota {
  size_t rows = 60'000;
  size_t bytes = size_t{8} << 20;            // total text
  size_t bytes_of_record = size_t{4} << 10;  // longer records are truncated
};

// Times of the records; a record without one has that of the previous record in its file.
std::vector<int64_t> TimesOf(const LogRecords& logs);

// Rows in order of time, up to the quota. If it is too small, frequent messages are thinned out evenly over time,
// warnings and errors ten times less than others.
std::vector<uint32_t> ChooseRows(const LogRecords& logs, const LogQuota& quota);

// The warnings and errors among the stored log records (all of them, within LogRecords' limits), without duplicates,
// newest first.
std::vector<LogError> ErrorsOf(const LogRecords& logs);

}  // namespace sparkprof
