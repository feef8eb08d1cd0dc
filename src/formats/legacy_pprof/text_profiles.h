// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "formats/legacy_pprof/legacy_profile.h"

namespace sparkprof {

// The kinds of legacy profiles that are text, by their first line that is no comment.
enum class LegacyText {
  kNone,
  kHeap,        // "heap profile: …@ heap_v2/524288", "@ heapprofile", "@ growthz", "@ fragmentationz"; Go's heap
  kContention,  // "--- contentionz 1 ---", Go's "--- mutex:" and "--- contention:"
  kJava,        // "--- heapz 1 ---"; "--- contentionz 1 ---" followed by "format = java"
  kGoCount,     // "goroutine profile: total 7", also threadcreate
  kThreads,     // "--- threadz 1 ---", "--- Thread 7f7 (name: main/7) stack: ---"
};
LegacyText KindOfLegacyText(std::string_view head);

// Reads the samples of `lines` and what follows them. Values are scaled to those of all events, as google/pprof does
// where a profile has the sampling rate. Comments that Go adds ("#\t0x12\tmain.f+0x1\tfile.go:7") are symbols.
Result<void> ReadLegacyText(LegacyText kind, std::string_view lines, LegacyProfile* profile);

}  // namespace sparkprof
