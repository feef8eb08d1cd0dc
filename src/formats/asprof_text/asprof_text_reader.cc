// SPDX-License-Identifier: Apache-2.0
#include "formats/asprof_text/asprof_text_reader.h"

#include <fmt/format.h>

#include <optional>

#include "base/lines.h"
#include "base/text.h"
#include "formats/collapsed/collapsed_reader.h"
#include "formats/feed_lines.h"
#include "formats/value_unit.h"

namespace sparkprof {
namespace {

constexpr std::string_view kProfileTitle = "--- Execution profile ---";

// "--- 8208 bytes (19.58%), 2 samples".
struct StackHeader {
  int64_t weight = 0;
  std::string_view unit;
  int64_t samples = 0;
};
std::optional<StackHeader> ParseHeader(std::string_view line) {
  const size_t share = line.find(" ("), comma = line.rfind("), ");
  if (!line.starts_with("--- ") || share == std::string_view::npos || comma == std::string_view::npos ||
      comma < share) {
    return std::nullopt;
  }
  const std::string_view weight = line.substr(4, share - 4), samples = line.substr(comma + 3);
  const size_t blank = weight.find(' ');
  const std::optional<int64_t> number = ParseInteger(weight.substr(0, blank));
  const std::optional<int64_t> count = ParseInteger(samples.substr(0, samples.find(' ')));
  if (!number || !count || blank == std::string_view::npos) return std::nullopt;
  return StackHeader{*number, weight.substr(blank + 1), *count};
}

// "  [ 0] byte[]"; nullopt for another line.
std::optional<std::string_view> ParseFrame(std::string_view line) {
  if (!line.starts_with("  [")) return std::nullopt;
  const size_t end = line.find("] ");
  if (end == std::string_view::npos || !ParseInteger(Trim(line.substr(3, end - 3)))) return std::nullopt;
  return line.substr(end + 2);
}

}  // namespace

bool AsprofTextReader::LooksLike(std::string_view head) {
  bool after_header = false;
  while (!head.empty()) {
    const std::string_view line = WithoutCarriageReturn(TakeLine(&head));
    if (line == kProfileTitle || (after_header && ParseFrame(line))) return true;
    after_header = ParseHeader(line).has_value();
  }
  return false;
}

void AsprofTextReader::EndStack() {
  if (!in_stack_) return;
  in_stack_ = false;
  StackId stack = 0;
  for (size_t i = leaf_first_.size(); i > 0; --i) stack = builder_->profile().stacks.Push(stack, leaf_first_[i - 1]);
  sample_.stack = stack;
  builder_->Add(sample_);
}

Result<void> AsprofTextReader::AddLine(std::string_view line) {
  ++line_number_;
  line = WithoutCarriageReturn(line);
  if (in_stack_) {
    if (const std::optional<std::string_view> frame = ParseFrame(line)) {
      leaf_first_.push_back(
          frames_.Get(*frame, [&](std::string_view name) { return builder_->AddFrame(name, KindOfEnding(name)); }));
      return {};
    }
    EndStack();
  }
  if (!line.starts_with("--- ") || line == kProfileTitle) return {};
  const std::optional<StackHeader> header = ParseHeader(line);
  if (!header) {
    return builder_->Damaged(fmt::format("line {}: expected --- NUMBER UNIT (SHARE%), NUMBER samples, found '{}'",
                                         line_number_, line.substr(0, 60)));
  }
  const ValueUnit unit = UnitOf(header->unit);
  sample_ = {.event = builder_->AddEvent(unit.name == "ns"      ? "wall"
                                         : unit.name == "bytes" ? "alloc"
                                                                : "samples",
                                         unit.name),
             .weight = header->weight,
             .count = header->samples};
  leaf_first_.clear();
  in_stack_ = has_stacks_ = true;
  return {};
}

Result<void> AsprofTextReader::AddLines(std::string_view lines) {
  return ForEachLine(lines, [&](std::string_view line) { return AddLine(line); });
}

Result<void> AsprofTextReader::Finish() {
  EndStack();
  if (has_stacks_) return {};
  return builder_->Damaged(
      fmt::format("line {}: expected call stacks; have async-profiler print them with traces=N", line_number_));
}

}  // namespace sparkprof
