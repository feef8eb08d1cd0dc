// SPDX-License-Identifier: Apache-2.0
#include "capture/recording_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "analysis/selection/time_range.h"
#include "base/io/output_file.h"
#include "base/text/text.h"
#include "inputs/profile_input.h"
#include "loader/application_loader.h"
#include "output/print_problems.h"
#include "output/progress.h"
#include "output/terminal_style.h"
#include "verb.h"

namespace sparkprof {

void RecordingOptions::AddTo(CLI::App& command) {
  command
      .add_option("RECORDING", recordings,
                  "Recordings (.sprof), event logs and logs of jobs; folders and archives of them")
      ->required();
  AddApplicationTo(command, &application);
}

void AddApplicationTo(CLI::App& command, std::string* asked) {
  AddOption(command, "--application ID[/ATTEMPT]", asked,
            "Select the application with this ID, or one of its attempts");
}

bool IsAsked(std::string_view asked, std::string_view id, std::string_view attempt) {
  return asked.empty() || asked == id || asked == SelectorOf(id, attempt);
}

std::string SelectorOf(std::string_view id, std::string_view attempt) {
  return attempt.empty() ? std::string(id) : fmt::format("{}/{}", id, attempt);
}

Result<LoadedRecording> Load(const RecordingOptions& options) {
  Result<LoadedRecording> loaded = LoadSilently(options);
  if (!loaded) return loaded;
  const RecordingStatus& status = loaded->recording.status;
  InputProblems problems;
  for (const std::string& problem : RecordingProblems(status)) {
    problems.partly.push_back(fmt::format("{}: {}", loaded->name, problem));
  }
  const bool is_of_blocks = status.damaged_blocks + status.skipped_bytes + status.cut_bytes > 0;
  if (!is_of_blocks && !status.first_error.empty()) problems.unrecognized.push_back(status.first_error);
  PrintProblems(problems);
  return loaded;
}

namespace {

Result<Recording> ReadArchivedRecordings(const std::vector<std::string>& paths) {
  Result<ApplicationLoader> loader = ApplicationLoader::Find(paths);
  if (!loader) return tl::unexpected(loader.error());
  Recording read;
  std::vector<InputOutcome> outcomes;
  for (size_t row = 0; row < loader->applications().size(); ++row) {
    if (!loader->applications()[row].recorded) continue;
    for (Application& application : loader->Read(row, &outcomes)) read.applications.push_back(std::move(application));
  }
  read.status = loader->recording_status();
  return read;
}

}  // namespace

Result<LoadedRecording> LoadSilently(const RecordingOptions& options) {
  const std::vector<std::string>& paths = options.recordings;
  const Progress progress(fmt::format("reading {}", fmt::join(paths, ", ")), BytesOfPaths(paths));
  const bool are_archived = std::any_of(paths.begin(), paths.end(), IsArchive);
  Result<Recording> recording = are_archived ? ReadArchivedRecordings(paths) : ReadRecordings(paths);
  if (!recording) return tl::unexpected(recording.error());
  if (recording->applications.empty()) {
    return Fail(fmt::format("{}: no application in it; expected a recording with at least one segment",
                            fmt::join(options.recordings, ", ")));
  }
  return SelectApplications(std::move(*recording), options);
}

Result<LoadedRecording> SelectApplications(Recording recording, const RecordingOptions& options) {
  LoadedRecording loaded{std::move(recording), {}, fmt::format("{}", fmt::join(options.recordings, ", "))};
  std::vector<std::string> known;
  for (const Application& application : loaded.recording.applications) {
    known.push_back(SelectorOf(application.id, application.attempt));
    if (IsAsked(options.application, application.id, application.attempt)) loaded.applications.push_back(&application);
  }
  if (loaded.applications.empty()) {
    return Fail(fmt::format("{}: application {} not found; the input contains: {}", loaded.name, options.application,
                            fmt::join(known, ", ")));
  }
  return loaded;
}

const Application& LoadedRecording::Longest() const {
  return **std::max_element(applications.begin(), applications.end(), [](const Application* a, const Application* b) {
    return std::pair(!a->is_node, RangeOf(*a).Duration()) < std::pair(!b->is_node, RangeOf(*b).Duration());
  });
}

Application LoadedRecording::TakeLongest() {
  const auto longest = static_cast<size_t>(&Longest() - recording.applications.data());
  return std::move(recording.applications[longest]);
}

std::string LoadedRecording::OthersNote() const {
  if (applications.size() == 1) return {};
  std::vector<std::string> others;
  for (const Application* application : applications) {
    if (application != &Longest()) others.push_back(SelectorOf(application->id, application->attempt));
  }
  return fmt::format("The input contains other applications ({}); select one with --application ID.",
                     fmt::join(others, ", "));
}

void LoadedRecording::ShowLanguage(Language language, bool fold_pyspark) {
  for (Application& application : recording.applications) ChooseLanguage(&application, language, fold_pyspark);
}

namespace {

bool IsJson(std::string_view content) {
  content = Trim(content);
  return (content.starts_with('{') && content.ends_with('}')) || (content.starts_with('[') && content.ends_with(']'));
}

}  // namespace

Result<void> WriteOutput(const std::string& path, std::string_view content, const ProfileWriter* writer) {
  std::string shown;
  if (path == "-" && writer == nullptr && !IsJson(content)) content = shown = StyledForTerminal(content);
  Result<OutputFile> file = CreateOutput(path, writer);
  if (!file) return tl::unexpected(file.error());
  // Appends in steps, because the file buffers a copy of unwritten data.
  constexpr size_t kStep = size_t{1} << 20;
  for (; !content.empty(); content.remove_prefix(std::min(kStep, content.size()))) {
    file->Append(content.substr(0, kStep));
  }
  return file->Commit();
}

}  // namespace sparkprof
