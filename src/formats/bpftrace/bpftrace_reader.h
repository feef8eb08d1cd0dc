// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/text_cache.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Maps that bpftrace prints at its end, with stacks or other texts as keys and counts as values:
//     @[
//         schedule+46
//         do_syscall_64+52
//     , bash, 123]: 5
// Stacks are leaf first. A kernel stack and the user stack below it become one; other keys are the root frame
// ("bash, 123"). Each map is an event, the one without name is "samples". Frame names are unchanged, with offsets, as
// in stackcollapse-bpftrace.pl. Lines that belong to no map are skipped.
class BpftraceReader {
 public:
  explicit BpftraceReader(ProfileBuilder* builder) : builder_(builder) {}

  // Whole lines. Call again with what follows, and Finish at the end.
  Result<void> AddLines(std::string_view lines);
  Result<void> Finish();

  static bool LooksLike(std::string_view head);

 private:
  Result<void> AddLine(std::string_view line);
  Result<void> AddToEntry(std::string_view line);
  void AddKeys(std::string_view text);

  ProfileBuilder* builder_;
  uint64_t line_number_ = 0;
  bool in_entry_ = false;
  std::string map_;
  std::string keys_;  // that are no stacks
  std::vector<FrameId> leaf_first_;
  TextCache<FrameId> frames_;
};

}  // namespace sparkprof
