// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <protozero/pbf_writer.hpp>

#include "base/result.h"
#include "model/log_records.h"
#include "model/message_reader.h"

namespace sparkprof {

// The message LogRecords of segment.proto; executors are strings' ids.
void EncodeLogRecords(const LogRecords& logs, protozero::pbf_writer* out);

// Throws a protozero::exception where the message is damaged; an error where its values do not fit together.
Result<LogRecords> DecodeLogRecords(MessageReader message, size_t string_count);

}  // namespace sparkprof
