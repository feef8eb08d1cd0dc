// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/io/byte_source.h"
#include "base/io/line_reader.h"
#include "base/text/text.h"
#include "model/samples/profile_builder.h"

namespace sparkprof {

// The first `max_size` bytes of `source`. A source that ends in an error is damage like any other.
inline Result<std::string> ReadWhole(ByteSource* source, size_t max_size, ProfileBuilder* builder) {
  std::optional<Error> damage;
  std::string bytes = ReadUpTo(source, max_size, &damage);
  if (damage) {
    if (Result<void> kept = builder->Damaged(damage->message); !kept) return tl::unexpected(kept.error());
  }
  return bytes;
}

// Reads `source` with a Reader(builder): gives it all lines, one by one without their ends to AddLine, or if it has
// AddLines, blocks of complete lines; then calls its Finish, if it has one.
template <typename Reader>
Result<void> ReadLines(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  Reader reader(builder);
  // A block stays in the core's own cache until its lines are read.
  LineReader blocks(std::move(source), {.block_bytes = size_t{256} << 10});
  for (std::string_view lines = blocks.Next(); !lines.empty(); lines = blocks.Next()) {
    // The line at the break is part of the damage, not one that was written so.
    if (blocks.SourceError()) lines = lines.substr(0, lines.rfind('\n') + 1);
    if constexpr (requires { reader.AddLines(lines); }) {
      if (Result<void> added = reader.AddLines(lines); !added) return added;
    } else {
      while (!lines.empty()) {
        if (Result<void> added = reader.AddLine(WithoutCarriageReturn(TakeLine(&lines))); !added) return added;
      }
    }
  }
  if (blocks.SourceError()) {
    if (Result<void> kept = builder->Damaged(blocks.SourceError()->message); !kept) return kept;
  }
  if (blocks.DroppedLines() > 0) {
    const std::string what =
        fmt::format("{} lines are longer than {} MiB", blocks.DroppedLines(), LineLimits{}.max_line_bytes >> 20);
    if (Result<void> kept = builder->Damaged(what); !kept) return kept;
  }
  if constexpr (requires { reader.Finish(); }) return reader.Finish();
  return {};
}

}  // namespace sparkprof
