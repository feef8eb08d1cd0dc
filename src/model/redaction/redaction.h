// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "model/application.h"
#include "model/segment/segment.h"

namespace sparkprof {

// Redacts all text of a segment except Spark's events, which are redacted when they are added and when they are read.
// Call before writing and after reading a segment. Returns false if there was nothing to redact.
bool RedactSegment(Segment* segment);
bool RedactSource(Source* source);

// Redacts an application, except its interned strings (failure reasons of tasks). Call before displaying or storing any
// of it.
void RedactApplication(Application* application);  // with the general rules
// Applies `redact_text` to each text that a user may have written. Exceptions: settings and log records are redacted
// with the general rules, and the environment must be redacted already.
using TextChange = std::function<void(std::string* text)>;
void RedactApplication(Application* application, const TextChange& redact_text);

// Redacts records of text logs: records, templates and paths. Returns false if there was nothing to redact.
bool RedactLogs(LogRecords* logs);

}  // namespace sparkprof
