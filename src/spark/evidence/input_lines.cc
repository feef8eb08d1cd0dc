// SPDX-License-Identifier: Apache-2.0
#include "spark/evidence/input_lines.h"

#include <fmt/format.h>

#include <utility>

namespace sparkprof {

InputOutcome ReadLines(const Input& input, const LineLimits& limits,
                       const std::function<bool(std::string_view)>& take) {
  InputOutcome outcome{&input, 0, {}, true};
  Result<std::unique_ptr<ByteSource>> source = input.Open();
  if (!source) {
    outcome.problem = source.error().message;
    return outcome;
  }
  LineReader lines(std::move(*source), limits);
  for (std::string_view block = lines.Next(); !block.empty(); block = lines.Next()) {
    if (!take(block)) break;
  }
  outcome.bytes = lines.Bytes();
  if (lines.SourceError()) {
    outcome.problem = lines.SourceError()->message;
  } else if (lines.DroppedLines() > 0) {
    outcome.problem =
        fmt::format("{} lines left out, which are too long ({} bytes)", lines.DroppedLines(), lines.DroppedBytes());
  }
  return outcome;
}

}  // namespace sparkprof
