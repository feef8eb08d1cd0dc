// SPDX-License-Identifier: Apache-2.0
#include "event_log/event_redaction.h"

#include <simdjson.h>

#include <optional>
#include <utility>

#include "base/redaction/redaction.h"

namespace sparkprof {

bool RedactEvent(std::string* event) {
  std::optional<std::string> redacted = RedactIfNeeded(*event);
  if (!redacted) return false;
  simdjson::dom::parser parser;
  if (parser.parse(*redacted).error() != simdjson::SUCCESS) return false;
  *event = std::move(*redacted);
  return true;
}

}  // namespace sparkprof
