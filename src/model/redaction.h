// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "model/application.h"
#include "model/segment.h"

namespace sparkprof {

// Takes secrets out of all text of a user's that a segment holds, but for Spark's events and interned strings: those
// are redacted when they are added, and when they are read. Call before a segment is written, and after one is read.
void RedactSegment(Segment* segment);

// The same for what an application holds, but for its interned strings (why tasks failed). Call before anything of it
// is shown or stored.
void RedactApplication(Application* application);

// Calls `change` for each text of an application's that a user may have written, but for settings, records of logs and
// interned strings.
using TextChange = std::function<void(std::string* text)>;
void ForEachText(Application* application, const TextChange& change);

// For records of text logs: records and templates.
void RedactLogs(LogRecords* logs);

}  // namespace sparkprof
