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
  kConversion,  // of a profile to another format
};

// The data of a profile that a picture needs; the rest is not read.
struct ProfileNeeds {
  bool threads = false;
  bool answers = false;     // load everything that a page shows besides samples: tasks, states, findings
  int64_t bucket_ns = 0;    // 0 = no times
  bool keep_order = false;  // of samples, as in ProfileReadOptions

  bool OnlyStacks() const { return !threads && !answers && bucket_ns == 0 && !keep_order; }
};

// The names of recordings and of ProfileFormats(), as --input-format accepts them.
inline constexpr std::string_view kRecordingFormat = "recording";
std::vector<std::string_view> InputFormatNames();

// Flame graphs of clients: no deeper, and no narrower frames.
inline constexpr int64_t kMaxRequestDepth = 2048;
inline constexpr double kLeastRequestWidth = 0.01;  // pixels

// The contents and form of a picture: one request for all pictures and formats, of the command line and of HTTP.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): options in the order in which they apply
struct PictureRequest {
  // Which profile is read, and how.
  std::string application;   // of recordings
  std::string input_format;  // --input-format
  std::string input_unit;    // --input-unit; empty = unknown
  std::string tasks_of;      // a recording, for profiles of other tools; see AssignTasks
  bool by_input = false;
  bool lenient = false;
  bool leaks = false;
  double tail = 0.1;
  std::optional<double> latency_ms;
  bool addresses = false;
  bool source_lines = false;

  // Which samples of it.
  SelectionOptions selection;
  std::string state;
  bool event_was_given = false;  // by --event, --alloc, …

  // How stacks change.
  ProfileTransform transform;
  bool lines = false, no_lines = false;

  // How it is written.
  std::string format;
  std::string output;
  bool json = false;
  bool counts = false;
  SvgOptions svg;
  std::string palette, background;
  std::string encoding;
  bool by_hash = false, random = false;
  std::string min_width = "0.1";

  // Options of comparisons.
  bool normalize = false, absolute = false;
  int64_t top = 30;
  double fail_above = -1;     // percent; negative = never
  double min_confidence = 0;  // percent

  // The table of a picture's options; each row sets a member of this request.
  RequestOptions Options(PictureKind kind);
  // Checks combinations and resolves names. Call after the options and the output's name have been set.
  Result<void> Finish();

  // By --format, else by the output's name, else collapsed.
  const ProfileWriter& Writer() const;
  // Options of flame graphs and conversions.
  ProfileNeeds Needs() const;
  Language ShownLanguage() const { return ParseLanguage(selection.language).value_or(Language::kMerged); }
  // Lines are drawn if the format supports them.
  ProfileTransform TransformForWriter() const;
  // Without a format that may: only with --lines.
  ProfileTransform PlainTransform() const;
  // kUnknown = of all states.
  Result<ThreadState> State() const;
  Result<Selection> ParseSelection() const;
  // Fails if an option is unsupported for this input format.
  Result<void> CheckFormat(std::string_view format_of_input, const std::string& input) const;
  // Fails for an event that recordings do not have. Those of profiles of other tools have any.
  Result<void> CheckEvent(const Application& of) const;
};

// The request of a client's parameters.
Result<PictureRequest> ParsePictureParameters(PictureKind kind,
                                              const std::vector<std::pair<std::string, std::string>>& parameters);

}  // namespace sparkprof
