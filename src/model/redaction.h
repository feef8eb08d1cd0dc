// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "model/application.h"
#include "model/segment.h"

namespace sparkprof {

// Redacts all text of a segment except Spark's events, which are redacted when they are added and when they are read.
// Call before writing and after reading a segment. False when there was nothing to redact.
bool RedactSegment(Segment* segment);
bool RedactSource(Source* source);

// The same for an application, except its interned strings (failure reasons of tasks). Call before showing or storing
// any of it.
void RedactApplication(Application* application);  // by the general rules
// `redact_text` is applied to each text that a user may have written, but for settings and records of logs, which are
// redacted by the general rules, and for the environment, which must be redacted already.
using TextChange = std::function<void(std::string* text)>;
void RedactApplication(Application* application, const TextChange& redact_text);

// For records of text logs: records, templates and paths. False when there was nothing to redact.
bool RedactLogs(LogRecords* logs);

}  // namespace sparkprof
