// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/text_cache.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Stacks that DTrace has counted (`@[stack()] = count()`, ustack() and the like): after a header and an empty line,
// frames such as genunix`copen+0x20c, leaf first, then a line with the count. Frame names are those of
// stackcollapse.pl: without offset, arguments of C++ functions and semicolons; inlined calls ("a->b") are frames of
// their own.
class DtraceReader {
 public:
  explicit DtraceReader(ProfileBuilder* builder) : builder_(builder) {}

  // Whole lines. Call again with what follows, and Finish at the end.
  Result<void> AddLines(std::string_view lines);
  Result<void> Finish();

  static bool LooksLike(std::string_view head);

 private:
  struct Frames {
    uint32_t begin = 0;  // in frames_, root first
    uint32_t count = 0;
  };

  Result<void> AddLine(std::string_view line);
  Frames MakeFrames(std::string_view text);

  ProfileBuilder* builder_;
  uint64_t line_number_ = 0;
  bool in_header_ = true;
  std::vector<Frames> leaf_first_;
  std::vector<FrameId> frames_;
  TextCache<Frames> known_;
};

}  // namespace sparkprof
