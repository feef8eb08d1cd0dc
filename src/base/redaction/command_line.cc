// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/command_line.h"

#include <algorithm>

#include "base/redaction/characters.h"
#include "base/redaction/rules.h"
#include "base/redaction/value_span.h"

namespace sparkprof::redaction {
namespace {

constexpr size_t kMaxCommand = 8192;

void RedactValue(ScannedText* scan, size_t value, bool has_user) {
  const std::string_view text = scan->text;
  Span span = ValueAt(text, value, ValueKind::kPlain);
  if (has_user) {
    const size_t colon = text.substr(0, span.end).find(':', span.begin);
    if (colon == std::string_view::npos) return;
    span.begin = colon + 1;
  }
  scan->RedactLater({span.begin, span.end});
}

}  // namespace

size_t RedactOptions(ScannedText* scan, size_t at, std::string_view command) {
  const std::string_view text = scan->text;
  const size_t behind = at + command.size();
  if ((at > scan->from && IsOneOf(text[at - 1], "_.-")) || !scan->BeginsWord(at)) return at + 1;
  if (behind >= text.size() || !IsSpace(text[behind])) return at + 1;
  const size_t limit = std::min(text.size(), behind + kMaxCommand);
  for (size_t i = behind; i < limit && text[i] != '\n'; ++i) {
    if (!IsSpace(text[i - 1])) continue;
    if (HasAt(text, i, command)) break;  // the next one has its own options
    if (text[i] != '-') continue;
    for (const CommandRule& rule : Rules::Get().commands) {
      if (rule.command != command || !text.substr(i).starts_with(rule.option)) continue;
      const size_t glued = i + rule.option.size();
      const bool is_apart = IsSpace(scan->At(glued)) && glued < text.size();
      const bool is_assigned = scan->At(glued) == '=' && rule.option.starts_with("--");
      if (rule.form == '+' && is_apart) continue;
      if ((rule.form == '-' || rule.form == ':') && !is_apart && !is_assigned) continue;
      const size_t value = is_apart ? scan->SkipBlanks(glued) : is_assigned ? glued + 1 : glued;
      if (value < text.size() && text[value] != '-' && text[value] != '\n') RedactValue(scan, value, rule.form == ':');
    }
  }
  return behind;
}

}  // namespace sparkprof::redaction
