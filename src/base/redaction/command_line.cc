// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/command_line.h"

#include <algorithm>

#include "base/redaction/characters.h"
#include "base/redaction/rules.h"

namespace sparkprof::redaction {
namespace {

constexpr size_t kMaxCommand = 512;

}  // namespace

size_t CommandLine::Remember(size_t at, std::string_view command) {
  const std::string_view text = scan_->text;
  const size_t behind = at + command.size();
  if ((at > scan_->from && IsOneOf(text[at - 1], "_.-")) || !scan_->BeginsWord(at)) return at + 1;
  if (!IsSpace(scan_->At(behind)) || behind >= text.size()) return at + 1;
  const size_t limit = std::min(text.size(), behind + kMaxCommand);
  for (size_t i = behind; i < limit && text[i] != '\n'; ++i) {
    if (text[i] != '-' || !IsSpace(text[i - 1])) continue;
    for (const CommandRule& rule : Rules::Get().commands) {
      if (rule.command != command || !text.substr(i).starts_with(rule.option)) continue;
      const size_t glued = i + rule.option.size();
      const bool is_apart = IsSpace(scan_->At(glued)) && glued < text.size();
      const bool is_assigned = scan_->At(glued) == '=' && rule.option.starts_with("--");
      if (rule.form == '+' && is_apart) continue;
      if ((rule.form == '-' || rule.form == ':') && !is_apart && !is_assigned) continue;
      const size_t value = is_apart ? scan_->SkipBlanks(glued) : is_assigned ? glued + 1 : glued;
      if (value < text.size() && text[value] != '-' && text[value] != '\n') {
        RememberValue(value, rule.form == ':');
      }
    }
  }
  return behind;
}

void CommandLine::RememberValue(size_t value, bool has_user) {
  const std::string_view text = scan_->text;
  Span span = ValueAt(text, value, ValueKind::kPlain);
  if (has_user) {
    const size_t colon = text.substr(0, span.end).find(':', span.begin);
    if (colon == std::string_view::npos) return;
    span.begin = colon + 1;
  }
  if (span.end == span.begin || scan_->IsRedactedAt(span.begin)) return;
  const auto later = std::upper_bound(values_.begin(), values_.end(), span.begin,
                                      [](size_t begin, const Span& other) { return begin < other.begin; });
  values_.insert(later, span);
}

void CommandLine::RedactBefore(size_t at) {
  while (!values_.empty() && values_.front().begin < at) {
    const Span span = values_.front();
    values_.erase(values_.begin());
    if (span.begin >= scan_->from) scan_->Redact(span.begin, span.end);
  }
}

}  // namespace sparkprof::redaction
