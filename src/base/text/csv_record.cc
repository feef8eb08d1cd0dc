// SPDX-License-Identifier: Apache-2.0
#include "base/text/csv_record.h"

namespace sparkprof {

std::vector<std::string> TakeCsvRecord(std::string_view* text) {
  std::vector<std::string> record(1);
  bool quoted = false;
  size_t at = 0;
  for (; at < text->size(); ++at) {
    const char c = (*text)[at];
    if (quoted && c == '"' && at + 1 < text->size() && (*text)[at + 1] == '"') {
      record.back() += '"';
      ++at;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      record.emplace_back();
    } else if (!quoted && c == '\n') {
      ++at;
      break;
    } else if (quoted || c != '\r') {
      record.back() += c;
    }
  }
  text->remove_prefix(at);
  return record;
}

}  // namespace sparkprof
