// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/python/stitch.h"
#include "base/result.h"
#include "recording/recording_reader.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {

// Options of all verbs that read recordings.
struct RecordingOptions {
  std::vector<std::string> recordings;
  std::string application;  // id; empty = all, or the longest where one is needed

  void AddTo(CLI::App& command);
};

// --application: one of several applications in the inputs, ID or ID/ATTEMPT.
void AddApplicationTo(CLI::App& command, std::string* asked);
// Whether `asked` selects an application; the empty one selects all.
bool IsAsked(std::string_view asked, std::string_view id, std::string_view attempt);
// The value of --application that selects one application: "ID", or "ID/ATTEMPT" where attempts are known.
std::string SelectorOf(std::string_view id, std::string_view attempt);

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
// The selected ones of the applications that were read, at least one.
Result<LoadedRecording> SelectApplications(Recording recording, const RecordingOptions& options);

// Writes to the file, compressed if its name ends in .gz, or to standard output when `path` is empty or "-".
// `writer`: what wrote the content, if it is a profile.
Result<void> WriteOutput(const std::string& path, std::string_view content, const ProfileWriter* writer = nullptr);

}  // namespace sparkprof
