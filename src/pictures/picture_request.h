// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/python/stitch.h"
#include "base/result.h"
#include "pictures/option.h"
#include "pictures/selection_options.h"
#include "profiles/profile_transform.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {

enum class PictureKind : uint8_t {
  kFlame,
  kDiff,
  kConversion,  // conversion of a profile to another format
};

// Data of a profile that a picture needs; the rest is not read.
struct ProfileNeeds {
  bool threads = false;
  bool answers = false;     // everything else that a page shows: tasks, states, findings
  int64_t bucket_ns = 0;    // time resolution; 0 = no times
  bool keep_order = false;  // keeps the order of samples, as in ProfileReadOptions

  bool OnlyStacks() const { return !threads && !answers && bucket_ns == 0 && !keep_order; }
};

// Names of recordings and of ProfileFormats(), as accepted by --input-format.
inline constexpr std::string_view kRecordingFormat = "recording";
std::vector<std::string_view> InputFormatNames();

// Limits for flame graphs of clients: maximum depth and minimum frame width.
inline constexpr int64_t kMaxRequestDepth = 2048;
inline constexpr double kLeastRequestWidth = 0.01;  // pixels

// Contents and form of a picture: one request type for all pictures and formats, from the command line and from HTTP.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): options in the order in which they apply
struct PictureRequest {
  std::string application;   // application in a recording
  std::string input_format;  // --input-format
  std::string input_unit;    // --input-unit; empty = unknown
  std::string tasks_of;      // recording for profiles of other tools; see AssignTasks
  bool by_input = false;
  bool lenient = false;
  bool leaks = false;
  double tail = 0.1;
  std::optional<double> latency_ms;
  bool addresses = false;
  bool source_lines = false;

  SelectionOptions selection;
  std::string state;
  bool event_was_given = false;  // with --event, --alloc, …

  ProfileTransform transform;
  bool lines = false, no_lines = false;

  std::string format;
  std::string output;
  bool json = false;
  bool counts = false;
  SvgOptions svg;
  std::string palette, background;
  std::string encoding;
  bool by_hash = false, random = false;
  std::string min_width = "0.1";

  // Options for comparisons.
  bool normalize = false, absolute = false;
  int64_t top = 30;
  double fail_above = -1;     // percent; negative = never
  double min_confidence = 0;  // percent

  // Bound to members of this request.
  RequestOptions Options(PictureKind kind);
  // Checks combinations and resolves names. Call after setting the options and the output's name.
  Result<void> Finish();

  // Chosen by --format, else by the output's name, else collapsed.
  const ProfileWriter& Writer() const;
  // Data that flame graphs and conversions need.
  ProfileNeeds Needs() const;
  Language ShownLanguage() const { return ParseLanguage(selection.language).value_or(Language::kMerged); }
  // Keeps lines if the format supports them.
  ProfileTransform TransformForWriter() const;
  // The transform for output formats without lines: keeps lines only with --lines.
  ProfileTransform PlainTransform() const;
  // kUnknown = all states.
  Result<ThreadState> State() const;
  Result<Selection> ParseSelection() const;
  // Fails if an option is unsupported for this input format.
  Result<void> CheckFormat(std::string_view format_of_input, const std::string& input) const;
  // Fails for an event that recordings never have. Profiles of other tools may have any event.
  Result<void> CheckEvent(const Application& of) const;
};

Result<PictureRequest> ParsePictureParameters(PictureKind kind,
                                              const std::vector<std::pair<std::string, std::string>>& parameters);

}  // namespace sparkprof
