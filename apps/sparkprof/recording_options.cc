// SPDX-License-Identifier: Apache-2.0
#include "recording_options.h"

#include <cctz/civil_time.h>
#include <cctz/time_zone.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/output_file.h"
#include "base/quantity.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "base/time.h"
#include "number_checks.h"
#include "print_problems.h"
#include "progress.h"
#include "text_log/log_time.h"

namespace sparkprof {
namespace {

// A place in the time of an application.
struct TimeOption {
  int64_t ns = 0;
  bool is_absolute = false;  // since the Unix epoch, otherwise since the start
};

// A duration since the start (a bare number counts seconds), a date and time, or milliseconds since the epoch.
Result<TimeOption> ParseTime(const std::string& text, const char* option) {
  // As jfrconv separates them from times since the start: July 2017.
  constexpr int64_t kFirstEpochMillis = 1'500'000'000'000;
  const std::optional<int64_t> number = ParseInteger(text);
  if (number && *number >= kFirstEpochMillis && *number < INT64_MAX / kNanosPerMilli) {
    return TimeOption{*number * kNanosPerMilli, true};
  }
  LogTimeParser parser;
  const LogTime time = text.find('-') == std::string::npos ? LogTime() : parser.Parse(text);
  if (time.size == text.size() && time.size > 0) {
    if (time.has_zone) return TimeOption{time.time_ns, true};
    const auto civil = cctz::civil_second(1970, 1, 1) + time.time_ns / kNanosPerSecond;
    const auto local = cctz::convert(civil, cctz::local_time_zone());
    return TimeOption{std::chrono::duration_cast<std::chrono::nanoseconds>(local.time_since_epoch()).count() +
                          time.time_ns % kNanosPerSecond,
                      true};
  }
  const Result<int64_t> time_ns = ParseDurationOrSeconds(text);
  if (!time_ns) return Fail(Refusal(option, text, time_ns.error()) + ", or a time such as 2026-11-21T13:03:51Z");
  return TimeOption{*time_ns, false};
}

}  // namespace

void RecordingOptions::AddTo(CLI::App& command) {
  command.add_option("RECORDING", recordings, "Recordings (.sprof), or folders of recordings")->required();
  command.add_option("--application", application, "Select the application with this ID")->type_name("ID");
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
  if (!is_of_blocks && !status.first_error.empty()) problems.unrecognised.push_back(status.first_error);
  PrintProblems(problems);
  return loaded;
}

Result<LoadedRecording> LoadSilently(const RecordingOptions& options) {
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
    return std::pair(!a->is_node, RangeOf(*a).Duration()) < std::pair(!b->is_node, RangeOf(*b).Duration());
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

void SelectionOptions::AddExecutorTo(CLI::App& command) {
  command.add_option("--executor", executor, "Select an executor by its ID (\"driver\", \"1\")");
}

void SelectionOptions::AddTimesTo(CLI::App& command) {
  command.add_option("--from", from,
                     "Start of the time range: since the start (12.5s, 500ms), or a time (2026-11-21T13:03:51Z)");
  command.add_option("--to", to, "End of the time range");
}

void SelectionOptions::AddTo(CLI::App& command, bool any_event) {
  std::vector<std::string> names;
  for (const Event known : kAllEvents) names.emplace_back(EventName(known));
  CLI::Option* const option =
      command.add_option("-e,--event,--event-filter", event, "Event to count")->capture_default_str();
  if (!any_event) option->check(CLI::IsMember(names));
  command.add_option("--job", job, "Select samples of this job")->check(AtLeast(0));
  command.add_option("--stage", stage, "Select a stage (3), or one attempt of it (3.0)");
  command.add_option("--task", tasks, "Select a task by its TID; may be repeated")
      ->check(AtLeast(0))
      ->allow_extra_args(false);
  command.add_option("--sql", sql, "Select an SQL execution")->check(AtLeast(0));
  command.add_option("--node", node, "Select an operator of the plan of --sql, by the node that `operators` prints")
      ->check(AtLeast(0));
  AddExecutorTo(command);
  command.add_option("--thread", thread, "Select threads by OS thread ID, or by a regular expression for the name");
  AddTimesTo(command);
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
  if (node >= 0) {
    if (sql < 0) return Fail("--node requires --sql");
    selection.node = node;
  }
  if (!stage.empty()) {
    if (const Result<void> parsed = ParseStage(stage, &selection); !parsed) {
      return Fail(fmt::format("--stage: {}", parsed.error().message));
    }
  }
  selection.tasks = tasks;
  if (!executor.empty()) selection.executor = executor;
  selection.thread = thread;
  selection.search = search;
  for (const auto& [text, option, time_ns] :
       {std::tuple(&from, "--from", &selection.from_ns), std::tuple(&to, "--to", &selection.to_ns)}) {
    if (text->empty()) continue;
    const Result<TimeOption> time = ParseTime(*text, option);
    if (!time) return tl::unexpected(time.error());
    *time_ns = time->ns;
  }
  selection.without_idle = !idle;
  return selection;
}

Result<void> SelectionOptions::CheckUnits() const {
  for (const auto& [text, option] : {std::pair(&from, "--from"), std::pair(&to, "--to")}) {
    const Result<TimeOption> time = text->empty() ? TimeOption{} : ParseTime(*text, option);
    if (!time || time->ns == 0 || time->is_absolute || ParseDuration(*text)) continue;
    return Fail(fmt::format("{}: \"{}\" has no unit; use {}ms for jfrconv's milliseconds, or {}s", option, *text, *text,
                            *text));
  }
  return {};
}

void SelectionOptions::AnchorTimes(const TimeRange& range, Selection* selection) const {
  const auto anchor = [&](const std::string& text, std::optional<int64_t>* time_ns) {
    if (*time_ns && ParseTime(text, "").value().is_absolute) **time_ns -= range.start_ns;
  };
  anchor(from, &selection->from_ns);
  anchor(to, &selection->to_ns);
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
  if (selection.node) parts.push_back(fmt::format("node {}", *selection.node));
  if (selection.executor) parts.push_back(fmt::format("executor {}", *selection.executor));
  if (!selection.thread.empty()) parts.push_back(fmt::format("thread {}", selection.thread));
  if (selection.from_ns) parts.push_back(fmt::format("from {}", FormatDuration(*selection.from_ns)));
  if (selection.to_ns) parts.push_back(fmt::format("to {}", FormatDuration(*selection.to_ns)));
  if (!selection.search.empty()) parts.push_back(fmt::format("stacks with {}", selection.search));
  return fmt::format("{}", fmt::join(parts, ", "));
}

namespace {

bool IsJson(std::string_view content) {
  content = Trim(content);
  return (content.starts_with('{') && content.ends_with('}')) || (content.starts_with('[') && content.ends_with(']'));
}

}  // namespace

Result<void> WriteOutput(const std::string& path, std::string_view content, const ProfileWriter* writer) {
  std::string shown;
  if (path == "-" && writer == nullptr && !IsJson(content)) content = shown = ForTerminal(content);
  Result<OutputFile> file = CreateOutput(path, writer);
  if (!file) return tl::unexpected(file.error());
  // In steps, because the file keeps a copy of what it was not able to write yet.
  constexpr size_t kStep = size_t{1} << 20;
  for (; !content.empty(); content.remove_prefix(std::min(kStep, content.size()))) {
    file->Append(content.substr(0, kStep));
  }
  return file->Commit();
}

}  // namespace sparkprof
