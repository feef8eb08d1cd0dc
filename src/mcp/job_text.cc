// SPDX-License-Identifier: Apache-2.0
#include "mcp/job_text.h"

#include "base/redaction/redaction.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr std::string_view kBegin = "«", kEnd = "»";

std::string Replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string replaced;
  for (size_t at = text.find(from); at != std::string_view::npos; at = text.find(from)) {
    replaced.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return replaced.append(text);
}

}  // namespace

std::string Unmarked(std::string_view text, size_t most) {
  const std::string line = ToOneLine(RedactText(text));
  return Shorten(Replaced(Replaced(line, kBegin, "‹"), kEnd, "›"), most);
}

std::string Marked(std::string_view text, size_t most) {
  return std::string(kBegin) + Unmarked(text, most) + std::string(kEnd);
}

std::string_view WithoutMarks(std::string_view text) {
  if (text.size() < kBegin.size() + kEnd.size() || !text.starts_with(kBegin) || !text.ends_with(kEnd)) return text;
  return text.substr(kBegin.size(), text.size() - kBegin.size() - kEnd.size());
}

}  // namespace sparkprof
