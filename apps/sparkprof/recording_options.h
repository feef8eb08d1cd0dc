// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/selection.h"
#include "analysis/stitch.h"
#include "analysis/time_range.h"
#include "base/result.h"
#include "recording/recording_reader.h"
#include "render/profile_writers.h"

namespace sparkprof {

// Options of all verbs that read recordings.
struct RecordingOptions {
  std::vector<std::string> recordings;
  std::string application;  // id; empty = all, or the longest where one is needed

  void AddTo(CLI::App& command);
};

// A recording and its selected applications.
struct LoadedRecording {
  Recording recording;
  std::vector<const Application*> applications;  // at least one
  std::string name;                              // of the recording, for messages

  // The one that ran longest, where only one can be shown; a node only if there is nothing else.
  const Application& Longest() const;
  // The same, moved out.
  Application TakeLongest();
  // A sentence about the applications other than Longest(); empty if there are none.
  std::string OthersNote() const;
  // Merges Python stacks into the JVM's, or keeps one language; see stitch.h. Call once, after computing the answers of
  // a report.
  void ShowLanguage(Language language, bool fold_pyspark);
};

// Reads the recordings and shows progress. Prints what of them is damaged to standard error.
Result<LoadedRecording> Load(const RecordingOptions& options);
// The same for verbs that report the damage themselves.
Result<LoadedRecording> LoadSilently(const RecordingOptions& options);

// Options that select a part of an application.
struct SelectionOptions {
  std::string event = "cpu";
  std::string stage;
  std::string from, to;
  std::vector<int64_t> tasks;
  std::string executor, thread, search;
  int64_t job = -1;
  int64_t sql = -1;
  int64_t node = -1;
  bool idle = false;
  std::string language = "merged";
  bool pyspark_frames = false;

  // `any_event`: accept event names of foreign profiles; Selection::event is then not set.
  void AddTo(CLI::App& command, bool any_event = false);
  // Parts of AddTo: --executor; --from and --to.
  void AddExecutorTo(CLI::App& command);
  void AddTimesTo(CLI::App& command);
  // Times are as given: AnchorTimes makes dates relative to an application's start.
  Result<Selection> Parse() const;
  // Fails for a bare number in --from or --to: of other profiles, jfrconv reads it as milliseconds.
  Result<void> CheckUnits() const;
  void AnchorTimes(const TimeRange& range, Selection* selection) const;
};

// "stage 3.0, executor 1": what a selection narrows, empty when nothing but the event is set.
std::string Describe(const Selection& selection);

// Writes to the file, compressed if its name ends in .gz, or to standard output when `path` is empty or "-".
// `writer`: what wrote the content, if it is a profile.
Result<void> WriteOutput(const std::string& path, std::string_view content, const ProfileWriter* writer = nullptr);

}  // namespace sparkprof
