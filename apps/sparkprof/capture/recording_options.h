// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/python/stitch.h"
#include "base/result.h"
#include "recording/recordings.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {

struct RecordingOptions {
  std::vector<std::string> recordings;
  std::string application;  // ID; empty = all, or the longest if only one is needed

  void AddTo(CLI::App& command);
};

// Adds --application, which selects an application in the inputs: ID or ID/ATTEMPT.
void AddApplicationTo(CLI::App& command, std::string* asked);
// Whether `asked` selects an application; an empty value selects all.
bool IsAsked(std::string_view asked, std::string_view id, std::string_view attempt);
// Value of --application that selects one application: "ID", or "ID/ATTEMPT" if attempts are known.
std::string SelectorOf(std::string_view id, std::string_view attempt);

// A recording and its selected applications.
struct LoadedRecording {
  Recording recording;
  std::vector<const Application*> applications;  // at least one
  std::string name;                              // name of the recording, for messages

  // The application with the longest run, for commands that show only one; a node only if there is nothing else.
  const Application& Longest() const;
  // Longest(), moved out.
  Application TakeLongest();
  // A sentence about the applications other than Longest(); empty if there are none.
  std::string OthersNote() const;
  // Merges Python stacks into the JVM's, or keeps one language (stitch.h). Call once, after computing the answers of a
  // report.
  void ShowLanguage(Language language, bool fold_pyspark);
};

// Reads the recordings and shows progress. Prints damage to standard error.
Result<LoadedRecording> Load(const RecordingOptions& options);
// Load for commands that report the damage themselves.
Result<LoadedRecording> LoadSilently(const RecordingOptions& options);
// The selected applications, at least one.
Result<LoadedRecording> SelectApplications(Recording recording, const RecordingOptions& options);

// Writes to the file, compressed if its name ends in .gz, or to standard output if `path` is empty or "-". `writer`:
// writer of the content if it is a profile.
Result<void> WriteOutput(const std::string& path, std::string_view content, const ProfileWriter* writer = nullptr);

}  // namespace sparkprof
