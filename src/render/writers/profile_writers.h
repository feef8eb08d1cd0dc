// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/answers.h"
#include "base/output_file.h"
#include "base/result.h"
#include "base/text.h"
#include "model/application.h"
#include "render/svg/svg_writer.h"

namespace sparkprof {

struct ProfileWriteOptions {
  EventId event = 0;                  // row of the event for formats with a single event
  std::optional<EventId> base_event;  // baseline of a comparison
  bool counts = false;                // write samples instead of weights (collapsed)
  const Answers* answers = nullptr;   // null for profiles of other tools (html)
  std::string note;                   // shown next to the graph (html)
  SvgOptions svg;
};

// An output format for samples. Each is a line in profile_writers.cc.
struct ProfileWriter {
  std::string_view name;         // as accepted by --format
  std::string_view suffixes;     // file name suffixes, separated by spaces; the longest match wins. .gz may follow
  std::string_view description;  // for display
  int64_t bucket_ns;             // resolution of times; 0 = no times
  Result<void> (*write)(const Application& application, const ProfileWriteOptions& options, OutputFile* output);
  bool keeps_lines;  // keeps one frame per line by default
  bool keeps_threads;
  bool is_gzip = false;  // the format itself is compressed
};

inline constexpr std::string_view kGzipSuffix = ".gz";

// The one of `kinds` with the longest suffix that `path` ends in, optionally followed by .gz; null if none matches.
template <typename Kind>
const Kind* FindByEnding(std::span<const Kind> kinds, std::string_view path) {
  const Kind* best = nullptr;
  size_t longest = 0;
  for (const Kind& kind : kinds) {
    const size_t ending = LongestEnding(path, kind.suffixes);
    if (ending > longest) best = &kind;
    longest = std::max(longest, ending);
  }
  if (best != nullptr || !path.ends_with(kGzipSuffix)) return best;
  return FindByEnding(kinds, path.substr(0, path.size() - kGzipSuffix.size()));
}

std::span<const ProfileWriter> ProfileWriters();
const ProfileWriter* FindProfileWriter(std::string_view name);     // null if there is none
const ProfileWriter* ProfileWriterForPath(std::string_view path);  // by the suffix; null if unknown

// Creates the output at `path`. Compresses it if its name ends in .gz, unless the writer (may be null) does.
Result<OutputFile> CreateOutput(const std::string& path, const ProfileWriter* writer);

}  // namespace sparkprof
