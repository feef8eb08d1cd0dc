// SPDX-License-Identifier: Apache-2.0
#include "recording_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "analysis/time_range.h"
#include "base/file.h"
#include "base/quantity.h"
#include "base/text.h"
#include "number_checks.h"
#include "progress.h"

namespace sparkprof {
namespace {

Result<std::optional<int64_t>> ParseTime(const std::string& text, const char* option) {
  if (text.empty()) return std::nullopt;
  const Result<int64_t> time_ns = ParseDurationOrSeconds(text);
  if (!time_ns) return Fail(Refusal(option, text, time_ns.error()));
  return *time_ns;
}

}  // namespace

void RecordingOptions::AddTo(CLI::App& command) {
  command.add_option("RECORDING", recordings, "Recordings (.sprof), or folders of recordings")->required();
  command.add_option("--application", application, "Select the application with this ID")->type_name("ID");
}

Result<LoadedRecording> Load(const RecordingOptions& options) {
  const Progress progress(fmt::format("reading {}", fmt::join(options.recordings, ", ")));
  Result<Recording> recording = ReadRecordings(options.recordings);
  if (!recording) return tl::unexpected(recording.error());
  LoadedRecording loaded{std::move(*recording), {}, fmt::format("{}", fmt::join(options.recordings, ", "))};
  std::vector<std::string_view> ids;
  for (const Application& application : loaded.recording.applications) {
    ids.push_back(application.id);
    if (options.application.empty() || application.id == options.application)
      loaded.applications.push_back(&application);
  }
  if (ids.empty())
    return Fail(fmt::format("{}: no application in it; expected a recording with at least one segment", loaded.name));
  if (loaded.applications.empty()) {
    return Fail(fmt::format("{}: application {} not found; the recording contains: {}", loaded.name,
                            options.application, fmt::join(ids, ", ")));
  }
  return loaded;
}

const Application& LoadedRecording::Longest() const {
  return **std::max_element(applications.begin(), applications.end(), [](const Application* a, const Application* b) {
    return RangeOf(*a).Duration() < RangeOf(*b).Duration();
  });
}

Application LoadedRecording::TakeLongest() {
  const auto longest = static_cast<size_t>(&Longest() - recording.applications.data());
  return std::move(recording.applications[longest]);
}

std::string LoadedRecording::OthersNote() const {
  if (applications.size() == 1) return {};
  std::vector<std::string_view> others;
  for (const Application* application : applications) {
    if (application != &Longest()) others.push_back(application->id);
  }
  return fmt::format("The recording contains other applications ({}); select one with --application ID.",
                     fmt::join(others, ", "));
}

void LoadedRecording::ShowLanguage(Language language, bool fold_pyspark) {
  for (Application& application : recording.applications) ChooseLanguage(&application, language, fold_pyspark);
}

void SelectionOptions::AddTo(CLI::App& command, bool any_event) {
  std::vector<std::string> names;
  for (const Event known : kAllEvents) names.emplace_back(EventName(known));
  CLI::Option* const option =
      command.add_option("--event,--event-filter", event, "Event to count")->capture_default_str();
  if (!any_event) option->check(CLI::IsMember(names));
  command.add_option("--job", job, "Select samples of this job")->check(AtLeast(0));
  command.add_option("--stage", stage, "Select a stage (3), or one attempt of it (3.0)");
  command.add_option("--task", tasks, "Select a task by its TID; may be repeated")
      ->check(AtLeast(0))
      ->allow_extra_args(false);
  command.add_option("--sql", sql, "Select an SQL execution")->check(AtLeast(0));
  command.add_option("--executor", executor, "Select an executor by its ID (\"driver\", \"1\")");
  command.add_option("--thread", thread, "Select threads by OS thread ID, or by a regular expression for the name");
  command.add_option("--from", from, "Start of the time range, relative to the application's start (12.5s, 2m)");
  command.add_option("--to", to, "End of the time range, relative to the application's start");
  command.add_option("--search", search, "Select stacks with a frame that matches this regular expression");
  command
      .add_option("--language", language,
                  "Python stacks below the JVM frames that wait for them (merged), or one side (recordings)")
      ->check(CLI::IsMember({"merged", "jvm", "python"}))
      ->capture_default_str();
  command.add_flag("--pyspark-frames", pyspark_frames, "Show PySpark's own frames below [pyspark runtime]");
  command.add_flag("--idle", idle, "Include wall-clock samples of idle pool threads");
}

Result<Selection> SelectionOptions::Parse() const {
  Selection selection;
  selection.event = event;
  if (job >= 0) selection.job = job;
  if (sql >= 0) selection.sql = sql;
  if (!stage.empty()) {
    if (const Result<void> parsed = ParseStage(stage, &selection); !parsed) {
      return Fail(fmt::format("--stage: {}", parsed.error().message));
    }
  }
  selection.tasks = tasks;
  if (!executor.empty()) selection.executor = executor;
  selection.thread = thread;
  selection.search = search;
  const auto from_ns = ParseTime(from, "--from");
  if (!from_ns) return tl::unexpected(from_ns.error());
  const auto to_ns = ParseTime(to, "--to");
  if (!to_ns) return tl::unexpected(to_ns.error());
  selection.from_ns = *from_ns;
  selection.to_ns = *to_ns;
  selection.without_idle = !idle;
  return selection;
}

std::string Describe(const Selection& selection) {
  std::vector<std::string> parts;
  if (selection.job) parts.push_back(fmt::format("job {}", *selection.job));
  if (selection.stage) {
    parts.push_back(selection.stage_attempt ? fmt::format("stage {}.{}", *selection.stage, *selection.stage_attempt)
                                            : fmt::format("stage {}", *selection.stage));
  }
  if (!selection.tasks.empty()) parts.push_back(fmt::format("task {}", fmt::join(selection.tasks, ", ")));
  if (selection.sql) parts.push_back(fmt::format("SQL execution {}", *selection.sql));
  if (selection.executor) parts.push_back(fmt::format("executor {}", *selection.executor));
  if (!selection.thread.empty()) parts.push_back(fmt::format("thread {}", selection.thread));
  if (selection.from_ns) parts.push_back(fmt::format("from {}", FormatDuration(*selection.from_ns)));
  if (selection.to_ns) parts.push_back(fmt::format("to {}", FormatDuration(*selection.to_ns)));
  if (!selection.search.empty()) parts.push_back(fmt::format("stacks with {}", selection.search));
  return fmt::format("{}", fmt::join(parts, ", "));
}

Result<void> WriteOutput(const std::string& path, const std::string& content) {
  if (path.empty() || path == "-") return WriteAll(STDOUT_FILENO, content, "standard output");
  return WriteFile(path, content);
}

}  // namespace sparkprof
