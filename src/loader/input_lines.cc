// SPDX-License-Identifier: Apache-2.0
#include "loader/input_lines.h"

#include <fmt/format.h>

#include <utility>

namespace sparkprof {
namespace {

void FillOutcome(const LineReader& lines, InputOutcome* outcome) {
  outcome->bytes = lines.Bytes();
  if (lines.SourceError()) {
    outcome->problem = lines.SourceError()->message;
  } else if (lines.DroppedLines() > 0) {
    outcome->problem = fmt::format("skipped {} overlong lines ({} bytes)", lines.DroppedLines(), lines.DroppedBytes());
  }
}

}  // namespace

InputOutcome ReadLines(const Input& input, const LineLimits& limits, const std::function<bool(std::string_view)>& take,
                       bool as_written) {
  InputOutcome outcome{&input, 0, {}, true};
  Result<std::unique_ptr<ByteSource>> source = input.Open(as_written);
  if (!source) {
    outcome.problem = source.error().message;
    return outcome;
  }
  LineReader lines(std::move(*source), limits);
  for (std::string_view block = lines.Next(); !block.empty(); block = lines.Next()) {
    if (!take(block)) break;
  }
  FillOutcome(lines, &outcome);
  return outcome;
}

InputLines::InputLines(std::vector<const Input*> inputs, const LineLimits& limits)
    : inputs_(std::move(inputs)), limits_(limits) {}

InputLines::Opened InputLines::Open(size_t row) const {
  if (row >= inputs_.size()) return {};
  Opened opened{{inputs_[row], 0, {}, true}, nullptr};
  Result<std::unique_ptr<ByteSource>> source = inputs_[row]->Open(/*as_written=*/true);
  if (source) {
    opened.blocks = std::make_unique<BlockQueue>(std::make_unique<LineReader>(std::move(*source), limits_));
  } else {
    opened.outcome.problem = source.error().message;
  }
  return opened;
}

InputOutcome InputLines::ReadNext(const std::function<void(std::string_view)>& take) {
  Opened current = next_ == 0 ? Open(0) : std::move(ahead_);
  ahead_ = Open(++next_);
  if (current.blocks == nullptr) return current.outcome;
  for (std::string_view lines = current.blocks->Next(); !lines.empty(); lines = current.blocks->Next()) take(lines);
  FillOutcome(current.blocks->Reader(), &current.outcome);
  return current.outcome;
}

}  // namespace sparkprof
