// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <protozero/pbf_writer.hpp>

#include "base/result.h"
#include "model/log_records.h"
#include "model/message_reader.h"

namespace sparkprof {

// Writes the message LogRecords of segment.proto; executors are string IDs.
void EncodeLogRecords(const LogRecords& logs, protozero::pbf_writer* out);

// Throws a protozero::exception if the message is damaged; returns an error if its values are inconsistent.
Result<LogRecords> DecodeLogRecords(MessageReader message, size_t string_count);

}  // namespace sparkprof
