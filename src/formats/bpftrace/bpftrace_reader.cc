// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text/characters.h"
#include "base/text/text.h"
#include "formats/read_input.h"
#include "formats/readers.h"
#include "formats/text_cache.h"
#include "model/samples/profile_builder.h"

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

// Maps that bpftrace prints at its end, with stacks or other texts as keys and counts as values:
//     @[
//         schedule+46
//         do_syscall_64+52
//     , bash, 123]: 5
// Stacks are leaf first. A kernel stack and the user stack below it become one; other keys are the root frame
// ("bash, 123"). Each map is an event, the one without name is "samples". Frame names are unchanged, with offsets, as
// in stackcollapse-bpftrace.pl. Other lines are skipped.
class BpftraceReader {
 public:
  explicit BpftraceReader(ProfileBuilder* builder) : builder_(builder) {}

  Result<void> AddLine(std::string_view line) {
    ++line_number_;
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

  Result<void> Finish() {
    if (!in_entry_) return {};
    in_entry_ = false;
    return builder_->Damaged(
        fmt::format("line {}: expected ']: NUMBER' at the end of a map's entry, found none", line_number_));
  }

 private:
  void AddKeys(std::string_view text) {
    // Commas separate keys from stacks, which are on lines of their own or empty.
    while (text.starts_with(',') || text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(',') || text.ends_with(' ')) text.remove_suffix(1);
    if (text.empty()) return;
    if (!keys_.empty()) keys_ += ", ";
    keys_ += text;
  }

  Result<void> AddToEntry(std::string_view line) {
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
      return builder_->Damaged(
          fmt::format("line {}: expected a number after ']:' as count() and sum() give, found '{}'", line_number_,
                      end->value.substr(0, 60)));
    }
    const StackId root = keys_.empty() ? 0 : builder_->profile().stacks.Push(0, builder_->AddFrame(keys_));
    builder_->Add({.stack = builder_->AddLeafFirst(leaf_first_, root),
                   .event = builder_->AddEvent(map_.empty() ? "samples" : map_, "count"),
                   .weight = *value,
                   .count = *value});
    return {};
  }

  ProfileBuilder* builder_;
  uint64_t line_number_ = 0;
  bool in_entry_ = false;
  std::string map_;
  std::string keys_;  // keys other than stacks
  std::vector<FrameId> leaf_first_;
  TextCache<FrameId> frames_;
};

}  // namespace

bool LooksLikeBpftrace(std::string_view head) {
  // Scripts may print other text first, in which a line may look like an entry.
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

Result<void> ReadBpftrace(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  return ReadLines<BpftraceReader>(std::move(source), builder);
}

}  // namespace sparkprof
