// SPDX-License-Identifier: Apache-2.0
#include "formats/bpftrace/bpftrace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/characters.h"
#include "base/lines.h"
#include "base/text.h"
#include "formats/feed_lines.h"

namespace sparkprof {
namespace {

// "@name[REST", the first line of an entry.
struct EntryStart {
  std::string_view map, rest;
};
std::optional<EntryStart> ParseStart(std::string_view line) {
  if (!line.starts_with('@')) return std::nullopt;
  size_t end = 1;
  while (end < line.size() && (IsAlnum(line[end]) || line[end] == '_')) ++end;
  if (end == line.size() || line[end] != '[') return std::nullopt;
  return EntryStart{line.substr(1, end - 1), line.substr(end + 1)};
}

// "KEYS]: VALUE", the last line of an entry. The keys may have brackets, too.
struct EntryEnd {
  std::string_view keys, value;
};
std::optional<EntryEnd> ParseEnd(std::string_view line) {
  const size_t end = line.rfind("]:");
  if (end == std::string_view::npos) return std::nullopt;
  return EntryEnd{line.substr(0, end), Trim(line.substr(end + 2))};
}

// In a stack in the mode perf, "7f62c1129c90 f+12 (/lib/libf.so)", the symbol.
std::string_view SymbolOf(std::string_view frame) {
  const size_t address_end = frame.find(' '), module = frame.rfind(" (");
  if (address_end == std::string_view::npos || module == std::string_view::npos || module <= address_end + 1 ||
      !frame.ends_with(')') || !std::all_of(frame.begin(), frame.begin() + address_end, IsHexDigit)) {
    return frame;
  }
  return frame.substr(address_end + 1, module - address_end - 1);
}

bool IsBpftraceFrame(std::string_view line) { return line.starts_with(' ') || line.starts_with('\t'); }

}  // namespace

bool BpftraceReader::LooksLike(std::string_view head) {
  // Scripts print any text before; an entry on one line is one only without it.
  bool has_other_lines = false;
  while (!head.empty()) {
    const std::string_view line = WithoutCarriageReturn(TakeLine(&head));
    const std::optional<EntryStart> start = ParseStart(line);
    const std::optional<EntryEnd> end = start ? ParseEnd(start->rest) : std::nullopt;
    if (end && !has_other_lines && ParseInteger(end->value)) return true;
    if (start && !end && (start->rest.empty() || start->rest.ends_with(", ")) && IsBpftraceFrame(head)) return true;
    has_other_lines = has_other_lines || !(line.empty() || line.starts_with("Attaching "));
  }
  return false;
}

void BpftraceReader::AddKeys(std::string_view text) {
  // Between commas: stacks stand elsewhere or are empty.
  while (text.starts_with(',') || text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(',') || text.ends_with(' ')) text.remove_suffix(1);
  if (text.empty()) return;
  if (!keys_.empty()) keys_ += ", ";
  keys_ += text;
}

Result<void> BpftraceReader::AddToEntry(std::string_view line) {
  if (Trim(line).empty()) return {};
  if (IsBpftraceFrame(line)) {
    leaf_first_.push_back(
        frames_.Get(SymbolOf(Trim(line)), [&](std::string_view name) { return builder_->AddFrame(name); }));
    return {};
  }
  const std::optional<EntryEnd> end = ParseEnd(line);
  if (!end) {
    AddKeys(line);
    return {};
  }
  AddKeys(end->keys);
  in_entry_ = false;
  const std::optional<int64_t> value = ParseInteger(end->value);
  if (!value) {
    return builder_->Damaged(fmt::format("line {}: expected a number after ']:' as count() and sum() give, found '{}'",
                                         line_number_, end->value.substr(0, 60)));
  }
  StackTable& stacks = builder_->profile().stacks;
  StackId stack = keys_.empty() ? 0 : stacks.Push(0, builder_->AddFrame(keys_));
  for (size_t i = leaf_first_.size(); i > 0; --i) stack = stacks.Push(stack, leaf_first_[i - 1]);
  const EventId event = builder_->AddEvent(map_.empty() ? "samples" : map_, "count");
  builder_->Add({.stack = stack, .event = event, .weight = *value, .count = *value});
  return {};
}

Result<void> BpftraceReader::AddLine(std::string_view line) {
  ++line_number_;
  line = WithoutCarriageReturn(line);
  if (const std::optional<EntryStart> start = ParseStart(line)) {
    Result<void> outcome = Finish();
    map_ = start->map;
    keys_.clear();
    leaf_first_.clear();
    in_entry_ = true;
    return outcome && !start->rest.empty() ? AddToEntry(start->rest) : outcome;
  }
  return in_entry_ ? AddToEntry(line) : Result<void>();
}

Result<void> BpftraceReader::AddLines(std::string_view lines) {
  return ForEachLine(lines, [&](std::string_view line) { return AddLine(line); });
}

Result<void> BpftraceReader::Finish() {
  if (!in_entry_) return {};
  in_entry_ = false;
  return builder_->Damaged(
      fmt::format("line {}: expected ']: NUMBER' at the end of a map's entry, found none", line_number_));
}

}  // namespace sparkprof
