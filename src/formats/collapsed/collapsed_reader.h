// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "formats/text_cache.h"
#include "model/samples/profile_builder.h"

namespace sparkprof {

// Collapsed stacks, one per line: "root;…;leaf WEIGHT", as written by the stackcollapse scripts and read by
// flamegraph.pl, or "root;…;leaf BEFORE AFTER", as written by difffolded.pl, which become the events kBefore and
// kAfter. The first line determines which. Decimal weights are added up before they are rounded, and the rounding of
// one stack makes up for that of others, so that the total is right. Blank lines, comments ("# …") and blanks at the
// end of lines are skipped. The numbers have the unit of the options; without it, the event is "samples", and its
// counts are unknown: the file does not state what it counts. Frame names are unchanged; the endings of async-profiler
// and perf (_[j], _[i], _[k], …) determine the kind.
class CollapsedReader {
 public:
  static constexpr std::string_view kBefore = "before";
  static constexpr std::string_view kAfter = "after";

  explicit CollapsedReader(ProfileBuilder* builder) : builder_(builder) {}

  Result<void> AddLine(std::string_view line);
  // Call after the last line.
  Result<void> Finish();

  // Whether a file that starts with `head` looks like this format.
  static bool LooksLike(std::string_view head);

 private:
  struct Weight {
    int64_t whole = 0;
    int64_t billionths = 0;
  };
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
    KnownLine best;          // shared the longest prefix with later lines
    size_t best_common = 0;  // bytes of that prefix; decreases with each line
  };

  // Removes the last word of `line` and returns it as a weight.
  static std::optional<Weight> TakeWeight(std::string_view* line);
  static std::optional<Weight> ParseWeight(std::string_view text);

  void AddColumns(bool has_two);
  void AddScaled(size_t column, StackId stack, Weight weight);
  void Add(size_t column, StackId stack, Weight weight);
  StackId Stack(std::string_view text);
  // The cache entry for lines with this prefix, or for others that replaced them.
  KnownLines& LinesLike(std::string_view text);
  // Converts `text` to a known line, reusing the frames it shares with another one.
  KnownLine& TakeOver(std::string_view text);

  ProfileBuilder* builder_;
  TextCache<FrameId> frames_;
  uint64_t line_number_ = 0;
  int64_t scale_ = 1;                                         // factor of the unit
  bool is_count_ = true;                                      // the numbers may be samples
  double total_ = 0;                                          // absolute sum of weights
  std::vector<EventId> columns_;                              // columns with weights, by event; empty = not known yet
  std::map<std::pair<size_t, StackId>, int64_t> billionths_;  // by column and stack; not yet added
  std::vector<KnownLines> known_lines_;
  KnownLines long_lines_;  // lines that are too long to keep
};

// The kind indicated by a frame's ending, kUnknown without one.
FrameKind KindOfEnding(std::string_view name);

}  // namespace sparkprof
