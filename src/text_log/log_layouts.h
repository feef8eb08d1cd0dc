// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "text_log/line_layout.h"

namespace sparkprof {

struct LayoutSample;

// Infers how the lines of one log are composed. The sentences of Spark (known_messages.h) show where messages begin and
// end; what stands before and behind them shows time, level, logger and thread by its form and by what repeats. Where a
// line has none of Spark's sentences, a time and a level begin it. What a program that passes lines on writes before
// every line, also before those of a stack trace, is a carrier: it is removed, whatever the line is. Not thread-safe.
class LogLayouts {
 public:
  // `latest_ns`: when the log was last written to, which excludes orders of dates; 0 = unknown.
  explicit LogLayouts(int64_t latest_ns = 0) : latest_ns_(latest_ns) {}

  // Learns from lines of the log, the first ones, or further ones once WantsMore.
  void Learn(const std::vector<std::string>& lines);
  static constexpr size_t kMaxLearned = size_t{64} << 10;  // bytes, which are enough

  // Whether sentences of Spark are in lines that no layout fits.
  bool WantsMore() const { return strange_ >= kMaxStrange; }

  // The line without its carrier. Sets `time` to the carrier's; its size is 0 without one.
  std::string_view WithoutCarrier(std::string_view line, LogTime* time);

  // False if the line does not start a record. `has_time`: another program noted the time, so that a level alone begins
  // a record. A line that no layout fits may add one.
  bool Match(std::string_view line, bool has_time, LogHeader* header);

  // java.util.logging's second line, "INFO: …": adds the level and the message to the header of the first.
  static bool MatchSecond(std::string_view line, LogHeader* header);

  int64_t StrangeLines() const { return all_strange_; }  // so far
  // Uncertainties about the layouts, as the ends of sentences about the log.
  const std::set<std::string>& Doubts() const { return doubts_; }

 private:
  using Samples = std::vector<LayoutSample>;
  using Groups = std::map<std::string, Samples>;  // by signature

  static constexpr size_t kMaxLayouts = 32;
  static constexpr size_t kMaxSources = 256;
  static constexpr size_t kMaxStrange = 8;
  static constexpr size_t kMaxTried = 1000;  // lines in vain: from then on only some are tried

  void LearnCarriers(const std::vector<std::string>& lines);
  void LearnHeaders(const std::vector<std::string_view>& lines);
  void AddLayouts(Groups* groups, bool is_guessed);
  void AddLayout(const Samples& samples, bool is_guessed);
  bool LearnLine(std::string_view line, bool has_time);
  bool MatchKnown(std::string_view line, LogHeader* header);
  LineLayout Compile(const Samples& samples, bool is_carrier);
  void AddParts(const Samples& samples, bool is_behind, bool is_carrier, LineLayout* layout);
  DateOrder OrderOf(const std::vector<std::string_view>& texts);

  int64_t latest_ns_;
  std::vector<LineLayout> carriers_;
  std::set<std::string, std::less<>> sources_;  // programs that wrote lines of carriers
  std::vector<LineLayout> layouts_;
  size_t tried_ = 0;    // lines without a header that might have had one
  size_t strange_ = 0;  // part of these with a sentence of Spark, since layouts were learned
  int64_t all_strange_ = 0;
  bool lacks_all_ = false;  // the lines with Spark's sentences have neither times nor levels
  std::set<std::string> doubts_;
};

}  // namespace sparkprof
