// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/text_cache.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Collapsed stacks, one a line: "root;…;leaf WEIGHT", as the stackcollapse scripts write them and flamegraph.pl reads
// them; or "root;…;leaf BEFORE AFTER", as difffolded.pl writes them, which become the events kBefore and kAfter: the
// first line says which of both a file has. A weight with decimals is rounded. Blank lines are passed over. The event
// is "samples", counted. A frame's name is kept as it is; async-profiler's and perf's endings (_[j], _[i], _[k], …) say
// its kind.
class CollapsedReader {
 public:
  static constexpr std::string_view kBefore = "before";
  static constexpr std::string_view kAfter = "after";

  explicit CollapsedReader(ProfileBuilder* builder) : builder_(builder) {}

  // Whole lines; the last one need not end with a line end. Call again with what follows.
  Result<void> AddLines(std::string_view lines);

  // Whether a file that begins with `head` looks like one.
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

  // Lines with one beginning, for those that will have it, too.
  struct KnownLines {
    KnownLine last;
    KnownLine best;          // that others had most in common with
    size_t best_common = 0;  // bytes, the fewer the longer ago it was
  };

  Result<void> AddLine(std::string_view line);
  StackId Stack(std::string_view text);
  // What is known of lines that begin like this one; of others, if those took their place.
  KnownLines& LinesLike(std::string_view text);
  // The known line that `text` becomes, with those of its frames that another one had, too.
  KnownLine& TakeOver(std::string_view text);

  ProfileBuilder* builder_;
  TextCache<FrameId> frames_;
  uint64_t line_number_ = 0;
  int columns_ = 0;  // of weights; 0 = not known yet
  std::vector<KnownLines> known_lines_;
  KnownLines long_lines_;  // of one that is too long to be kept
};

// The kind that a frame's ending says, kUnknown without one.
FrameKind KindOfEnding(std::string_view name);

}  // namespace sparkprof
