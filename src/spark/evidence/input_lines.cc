// SPDX-License-Identifier: Apache-2.0
#include "spark/evidence/input_lines.h"

#include <fmt/format.h>

#include <utility>

#include "base/line_reader.h"

namespace sparkprof {

InputOutcome ReadLines(const Input& input, const std::function<void(std::string_view)>& take, int64_t max_bytes) {
  InputOutcome outcome{&input, 0, {}, true};
  Result<std::unique_ptr<ByteSource>> source = input.Open();
  if (!source) {
    outcome.problem = source.error().message;
    return outcome;
  }
  LineReader lines(std::move(*source));
  for (std::string_view block = lines.Next(); !block.empty(); block = lines.Next()) {
    take(block);
    if (lines.Bytes() >= max_bytes) break;
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
