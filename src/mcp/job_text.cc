// SPDX-License-Identifier: Apache-2.0
#include "mcp/job_text.h"

#include "base/redaction/redaction.h"
#include "base/text.h"

namespace sparkprof {
namespace {

void ReplaceAll(std::string_view from, std::string_view to, std::string* text) {
  for (size_t at = text->find(from); at != std::string::npos; at = text->find(from, at + to.size())) {
    text->replace(at, from.size(), to);
  }
}

}  // namespace

std::string Unmarked(std::string_view text, size_t most) {
  std::string safe = ToOneLine(RedactText(text));
  ReplaceAll("«", "‹", &safe);
  ReplaceAll("»", "›", &safe);
  return Shorten(safe, most);
}

std::string Marked(std::string_view text, size_t most) { return "«" + Unmarked(text, most) + "»"; }

}  // namespace sparkprof
