// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/answers.h"
#include "base/io/output_file.h"
#include "base/result.h"
#include "base/text/text.h"
#include "model/application.h"
#include "model/samples/profile.h"
#include "model/samples/sample.h"
#include "profiles/profile_diff.h"
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

// Writes pprof, gzip-compressed (google/pprof, proto/profile.proto): every event is a sample type, those in ns and
// bytes preceded by one with sample counts; threads and tasks are labels.
void WritePprof(const Profile& profile, EventId default_event, OutputFile* output);

// Writes one line per stack with self weight: "root;…;leaf WEIGHT", as read by flamegraph.pl and other tools, sorted by
// name. `counts` writes samples instead of weights if available. Replaces ';' in names by ':' and control characters by
// spaces.
void WriteCollapsed(const Profile& profile, EventId event, bool counts, OutputFile* output);

// Appends the weights of both events to each stack, like difffolded.pl.
void WriteCollapsedPair(const Profile& profile, EventId before, EventId after, OutputFile* output);

// Writes speedscope's file format, a sampled profile per event and thread, named "cpu" or "cpu: main". The time axis is
// the sum of the weights, not the time of the samples.
void WriteSpeedscope(const Profile& profile, EventId active_event, OutputFile* output);

// Writes Firefox Profiler's processed profile, format version 57 (docs-developer/CHANGELOG-formats.md of
// firefox-devtools/profiler), which newer viewers upgrade automatically: one track per thread and event. Samples
// without a time are placed one after the other.
void WriteFirefox(const Profile& profile, OutputFile* output);

// OTLP profiles, one protobuf message ProfilesData of the version that formats/otlp/otlp_messages.h names: a profile
// for each event; threads and kinds of frames as attributes. Not compressed.
void WriteOtlp(const Profile& profile, OutputFile* output);

inline constexpr int64_t kHeatmapBucketNs = 20'000'000;

// Writes one page: time by fraction of a second, with the flame graph of the selected range, or the difference of two.
// The profile should have been read with kHeatmapBucketNs. Fails if its samples have no times, or span more than
// kMaxHeatmapSeconds.
inline constexpr int64_t kMaxHeatmapSeconds = 7 * 24 * 3600;
Result<void> WriteHeatmap(const Profile& profile, EventId default_event, OutputFile* output);

// Writes {"event","unit","total","count","root":NODE} with NODE =
// {"name","value","self","count","kind","file"?,"line"?,"children"}: the nested form of d3-flame-graph. Value and self
// are ns, bytes or a count. With a base event, "total" and nodes also have "base", and nodes "baseSelf".
void WriteProfileJson(const Profile& profile, EventId event, std::optional<EventId> base_event, OutputFile* output);

// "jit", "python", … as in docs/report-data.md; "other" for an unknown kind.
std::string_view FrameKindName(FrameKind kind);

// Writes text for a terminal: the frames with the largest self weight, then the call tree down to half a percent.
void WriteProfileText(const Profile& profile, EventId event, OutputFile* output);

// A readable weight: "1.2 s", "340 MiB", "12,345".
std::string FormatAmount(std::string_view unit, int64_t weight);

// Formats 1234567 as "1,234,567".
std::string WithCommas(int64_t number);

// A readable weight of `event`: "1.2 s", "340 MiB".
std::string FormatWeight(Event event, int64_t weight);

// Writes a table of the frames that gained and lost most, at most `limit`. With `width`, columns of the terminal, omits
// columns and shortens frames at their start to fit; otherwise lines have any length.
void WriteDiffText(const ProfileDiff& diff, std::string_view unit, size_t limit, std::optional<size_t> width,
                   OutputFile* output);

// Writes {"unit","normalized","before":{"total","count"},"after":{…},"frames":[{"name","before","after","selfBefore",
// "selfAfter","changePercent","selfChangePercent","confidence"}]}, the largest change first. Percentages refer to the
// total before. Unknown counts and confidences are null.
void WriteDiffJson(const ProfileDiff& diff, std::string_view unit, bool normalized, OutputFile* output);

}  // namespace sparkprof
