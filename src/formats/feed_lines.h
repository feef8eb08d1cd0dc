// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>

#include "base/line_reader.h"
#include "base/lines.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Gives each line of `lines`, without its end, to `add(line)`; stops at the first error.
template <typename Add>
Result<void> ForEachLine(std::string_view lines, Add&& add) {
  while (!lines.empty()) {
    if (Result<void> added = add(TakeLine(&lines)); !added) return added;
  }
  return {};
}

// Gives all lines of `source` to `engine.AddLines(lines)`, block by block. A source that ends in an error is damage
// like any other.
template <typename Engine>
Result<void> FeedLines(std::unique_ptr<ByteSource> source, ProfileBuilder* builder, Engine* engine) {
  // A block stays in the core's own cache until its lines are read.
  LineReader reader(std::move(source), {.block_bytes = size_t{256} << 10});
  for (std::string_view lines = reader.Next(); !lines.empty(); lines = reader.Next()) {
    // The line at the break is part of the damage, not one that was written so.
    if (reader.SourceError()) lines = lines.substr(0, lines.rfind('\n') + 1);
    if (Result<void> added = engine->AddLines(lines); !added) return added;
  }
  if (reader.SourceError()) {
    if (Result<void> kept = builder->Damaged(reader.SourceError()->message); !kept) return kept;
  }
  if (reader.DroppedLines() > 0) {
    return builder->Damaged(
        fmt::format("{} lines are longer than {} MiB", reader.DroppedLines(), LineLimits{}.max_line_bytes >> 20));
  }
  return {};
}

}  // namespace sparkprof
