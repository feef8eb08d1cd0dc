// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/text_cache.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Collapsed stacks, one per line: "root;…;leaf WEIGHT", as written by the stackcollapse scripts and read by
// flamegraph.pl, or "root;…;leaf BEFORE AFTER", as written by difffolded.pl, which become the events kBefore and
// kAfter. The first line determines which. Decimal weights are rounded. Blank lines are skipped. The event is
// "samples", counted. Frame names are unchanged; the endings of async-profiler and perf (_[j], _[i], _[k], …) determine
// the kind.
class CollapsedReader {
 public:
  static constexpr std::string_view kBefore = "before";
  static constexpr std::string_view kAfter = "after";

  explicit CollapsedReader(ProfileBuilder* builder) : builder_(builder) {}

  // Complete lines; the last one may lack a line end. May be called repeatedly.
  Result<void> AddLines(std::string_view lines);

  // Whether a file that starts with `head` looks like this format.
  static bool LooksLike(std::string_view head);

 private:
  // A line's frame, where it ends, and the stack up to it.
  struct KnownFrame {
    size_t end = 0;
    FrameId frame = 0;
    StackId stack = 0;
  };
  struct KnownLine {
    std::string text;
    std::vector<KnownFrame> frames;
  };

  // Lines with a common prefix, cached for later lines with that prefix.
  struct KnownLines {
    KnownLine last;
    KnownLine best;          // that others had most in common with
    size_t best_common = 0;  // bytes, the fewer the longer ago it was
  };

  Result<void> AddLine(std::string_view line);
  StackId Stack(std::string_view text);
  // The cache entry for lines with this prefix, or for others that replaced them.
  KnownLines& LinesLike(std::string_view text);
  // Converts `text` to a known line, reusing the frames it shares with another one.
  KnownLine& TakeOver(std::string_view text);

  ProfileBuilder* builder_;
  TextCache<FrameId> frames_;
  uint64_t line_number_ = 0;
  int columns_ = 0;  // of weights; 0 = not known yet
  std::vector<KnownLines> known_lines_;
  KnownLines long_lines_;  // of one that is too long to be kept
};

// The kind indicated by a frame's ending, kUnknown without one.
FrameKind KindOfEnding(std::string_view name);

}  // namespace sparkprof
