// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "formats/austin/austin_samples.h"
#include "formats/text_cache.h"
#include "model/profile_builder.h"

namespace sparkprof {

// The text of austin (P403n1x87/austin) 2 to 3, and what mojo2austin writes:
//     # mode: wall
//     P8374;T0:8374;FILE:FUNCTION:LINE;… 12903
// root first; the weight is a time in µs or memory in bytes, in the mode full "TIME,IDLE,MEMORY". See AustinSamples for
// the events.
class AustinTextReader {
 public:
  explicit AustinTextReader(ProfileBuilder* builder) : builder_(builder), samples_(builder) {}

  // Whole lines. Call again with what follows.
  Result<void> AddLines(std::string_view lines);

  static bool LooksLike(std::string_view head);

 private:
  Result<void> AddLine(std::string_view line);
  FrameId FrameOf(std::string_view text);

  ProfileBuilder* builder_;
  AustinSamples samples_;
  TextCache<FrameId> frames_;
  uint64_t line_number_ = 0;
};

}  // namespace sparkprof
