// SPDX-License-Identifier: Apache-2.0
#include "mcp/job_text.h"

#include "base/redaction/redaction.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr std::string_view kBegin = "«", kEnd = "»";

void ReplaceAll(std::string_view from, std::string_view to, std::string* text) {
  for (size_t at = text->find(from); at != std::string::npos; at = text->find(from, at + to.size())) {
    text->replace(at, from.size(), to);
  }
}

}  // namespace

std::string Unmarked(std::string_view text, size_t most) {
  std::string safe = ToOneLine(RedactText(text));
  ReplaceAll(kBegin, "‹", &safe);
  ReplaceAll(kEnd, "›", &safe);
  return Shorten(safe, most);
}

std::string Marked(std::string_view text, size_t most) {
  return std::string(kBegin) + Unmarked(text, most) + std::string(kEnd);
}

std::string_view WithoutMarks(std::string_view text) {
  if (text.size() < kBegin.size() + kEnd.size() || !text.starts_with(kBegin) || !text.ends_with(kEnd)) return text;
  return text.substr(kBegin.size(), text.size() - kBegin.size() - kEnd.size());
}

}  // namespace sparkprof
