// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/text_cache.h"
#include "model/profile_builder.h"

namespace sparkprof {

// The text that async-profiler 1 to 4 prints (-o traces=N, the default without an extension):
//     --- 8208 bytes (19.58%), 2 samples
//       [ 0] byte[]
//       [ 1] java.util.jar.Manifest.read
// leaf first. It has only the N heaviest stacks; the table of methods below them (flat=N) is skipped.
class AsprofTextReader {
 public:
  explicit AsprofTextReader(ProfileBuilder* builder) : builder_(builder) {}

  // Whole lines. Call again with what follows, and Finish at the end.
  Result<void> AddLines(std::string_view lines);
  Result<void> Finish();

  static bool LooksLike(std::string_view head);

 private:
  Result<void> AddLine(std::string_view line);
  void EndStack();

  ProfileBuilder* builder_;
  uint64_t line_number_ = 0;
  bool has_stacks_ = false;
  bool in_stack_ = false;
  Sample sample_;
  std::vector<FrameId> leaf_first_;
  TextCache<FrameId> frames_;
};

}  // namespace sparkprof
