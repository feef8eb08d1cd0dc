// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/selection/selection.h"
#include "analysis/selection/time_range.h"
#include "base/result.h"
#include "pictures/option.h"

namespace sparkprof {

// Help texts of --from and --to for all commands that select times.
inline constexpr const char* kFromHelp =
    "Start of the time range; since the start (12.5s, 500ms), or a time (2026-11-21T13:03:51Z)";
inline constexpr const char* kToHelp = "End of the time range; as --from";

struct SelectionOptions {
  std::string event;  // empty = not given
  std::string stage;
  std::string from, to;
  std::vector<int64_t> tasks;
  std::string tag, executor, host, thread, search;
  int64_t job = -1;
  int64_t sql = -1;
  int64_t node = -1;
  bool idle = false;
  std::string language = "merged";
  bool pyspark_frames = false;

  // Options that set these members. `events`: accepted names; empty = any.
  RequestOptions Options(std::vector<std::string> events);
  // The options --job, --job-tag, --stage, --task, --sql, --node, --executor, --from and --to.
  RequestOptions WorkAndTimeOptions();
  // Times are as given: AnchorTimes makes dates relative to an application's start.
  Result<Selection> Parse() const;
  // Fails for a number without a unit in --from or --to: jfrconv would interpret it as milliseconds.
  Result<void> CheckUnits() const;
  void AnchorTimes(const TimeRange& range, Selection* selection) const;
};

// Describes a selection, "stage 3.0, executor 1"; empty if only the event is set.
std::string Describe(const Selection& selection);

}  // namespace sparkprof
