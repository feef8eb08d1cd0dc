// SPDX-License-Identifier: Apache-2.0
#include "formats/dtrace/dtrace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/characters.h"
#include "base/lines.h"
#include "base/text.h"
#include "formats/feed_lines.h"

namespace sparkprof {
namespace {

bool IsDtraceFrame(std::string_view text) {
  if (text.find('`') != std::string_view::npos) return true;
  return text.size() > 2 && text.starts_with("0x") && std::all_of(text.begin() + 2, text.end(), IsHexDigit);
}

// Without what follows the last '+', and without the arguments of a C++ function, up to its last bracket.
std::string_view FunctionName(std::string_view text) {
  const size_t plus = text.rfind('+');
  if (plus != std::string_view::npos) text = text.substr(0, plus);
  const size_t scope = text.find("::");
  if (scope != std::string_view::npos) {
    const size_t bracket = text.find_last_of("(<");
    if (bracket != std::string_view::npos && bracket >= scope + 2) text = text.substr(0, bracket);
  }
  return text.empty() ? "-" : text;
}

}  // namespace

bool DtraceReader::LooksLike(std::string_view head) {
  bool after_header = false, has_frame = false;
  while (!head.empty()) {
    const std::string_view line = Trim(TakeLine(&head));
    if (line.empty()) {
      after_header = true;
    } else if (after_header) {
      if (IsDigits(line)) return has_frame;
      if (!IsDtraceFrame(line)) return false;
      has_frame = true;
    }
  }
  return false;
}

DtraceReader::Frames DtraceReader::MakeFrames(std::string_view text) {
  std::string_view name = FunctionName(text);
  Frames frames{static_cast<uint32_t>(frames_.size()), 0};
  while (true) {
    const size_t arrow = name.find("->");
    std::string part(name.substr(0, arrow));
    std::replace(part.begin(), part.end(), ';', ':');
    if (part.starts_with('L')) part.erase(0, 1);
    const bool is_inlined = frames.count > 0;
    if (is_inlined) part += "_[i]";
    frames_.push_back(builder_->AddFrame(part, is_inlined ? FrameKind::kInlined : FrameKind::kUnknown));
    ++frames.count;
    if (arrow == std::string_view::npos) return frames;
    name.remove_prefix(arrow + 2);
  }
}

Result<void> DtraceReader::AddLine(std::string_view line) {
  ++line_number_;
  line = Trim(line);
  if (line.empty()) {
    in_header_ = false;
    return {};
  }
  if (in_header_) return {};
  if (!IsDigits(line)) {
    leaf_first_.push_back(known_.Get(line, [&](std::string_view text) { return MakeFrames(text); }));
    return {};
  }
  const std::optional<int64_t> count = ParseInteger(line);
  if (!count) {
    leaf_first_.clear();
    return builder_->Damaged(
        fmt::format("line {}: expected a count below 2^63, found '{}'", line_number_, line.substr(0, 60)));
  }
  StackId stack = 0;
  for (size_t i = leaf_first_.size(); i > 0; --i) {
    const Frames& frames = leaf_first_[i - 1];
    for (uint32_t frame = 0; frame < frames.count; ++frame) {
      stack = builder_->profile().stacks.Push(stack, frames_[frames.begin + frame]);
    }
  }
  leaf_first_.clear();
  builder_->Add({.stack = stack, .event = builder_->AddEvent("samples", "count"), .weight = *count, .count = *count});
  return {};
}

Result<void> DtraceReader::AddLines(std::string_view lines) {
  return ForEachLine(lines, [&](std::string_view line) { return AddLine(line); });
}

Result<void> DtraceReader::Finish() {
  if (leaf_first_.empty()) return {};
  leaf_first_.clear();
  return builder_->Damaged(
      fmt::format("line {}: expected the count of the last stack, found the end of the file", line_number_));
}

}  // namespace sparkprof
