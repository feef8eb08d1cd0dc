// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "analysis/selection.h"
#include "analysis/stitch.h"
#include "base/result.h"
#include "recording/recording_reader.h"

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

  // The one that ran longest, where only one can be shown.
  const Application& Longest() const;
  // The same, moved out.
  Application TakeLongest();
  // A sentence about the applications other than Longest(); empty if there are none.
  std::string OthersNote() const;
  // Merges Python stacks into the JVM's, or keeps one language; see stitch.h. Call once, after computing the answers of
  // a report.
  void ShowLanguage(Language language, bool fold_pyspark);
};

// Reads the recordings and shows progress.
Result<LoadedRecording> Load(const RecordingOptions& options);

// Options that select a part of an application.
struct SelectionOptions {
  std::string event = "cpu";
  std::string stage;
  std::string from, to;
  std::vector<int64_t> tasks;
  std::string executor, thread, search;
  int64_t job = -1;
  int64_t sql = -1;
  bool idle = false;
  std::string language = "merged";
  bool pyspark_frames = false;

  // `any_event`: accept event names of foreign profiles; Selection::event is then not set.
  void AddTo(CLI::App& command, bool any_event = false);
  Result<Selection> Parse() const;
};

// "stage 3.0, executor 1": what a selection narrows, empty when nothing but the event is set.
std::string Describe(const Selection& selection);

// Writes to the file, or to standard output when `path` is empty or "-".
Result<void> WriteOutput(const std::string& path, const std::string& content);

}  // namespace sparkprof
