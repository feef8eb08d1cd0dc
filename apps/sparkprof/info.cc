// SPDX-License-Identifier: Apache-2.0
#include "render/report/info.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "analysis/answers.h"
#include "capture/recording_options.h"
#include "inputs/input_options.h"
#include "inputs/profile_input.h"
#include "inputs/remote_options.h"
#include "inputs/shared_options.h"
#include "launch/output_folder.h"
#include "loader/application_loader.h"
#include "output/analyze_text.h"
#include "output/print_problems.h"
#include "output/terminal_style.h"
#include "render/writers/profile_writers.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct InfoOptions {
  RecordingOptions recording;
  EventLogWindow window;
  std::string input_format;
  std::string prices;
  bool lenient = false;
  bool json = false;
};

using Prices = std::optional<PriceList>;

Result<std::string> DescribeRecordings(const InfoOptions& options, const Prices& prices) {
  const Result<LoadedRecording> loaded = LoadSilently(options.recording);
  if (!loaded) return tl::unexpected(loaded.error());
  const std::vector<Answers> answers = AnswerAll(loaded->applications, prices);
  if (options.json) return RenderInfoJson(RunsOf(loaded->applications, answers), &loaded->recording.status) + "\n";
  std::vector<std::vector<std::string>> lines;
  for (const Answers& one : answers) lines.push_back(one.lines);
  return RenderInfoText(loaded->applications, lines, loaded->recording.status);
}

// Whether the inputs are logs of a job or archives of recordings instead of profiles.
bool AreOfJobs(const ApplicationLoader& loader) {
  return std::any_of(loader.inputs().inputs.begin(), loader.inputs().inputs.end(), [](const Input& input) {
    return input.kind == InputKind::kEventLog || input.kind == InputKind::kRecording || IsLog(input.kind);
  });
}

// Describes the applications in logs and archives; nullopt if the inputs are not from Spark.
Result<std::optional<std::string>> DescribeLogs(const InfoOptions& options, const Prices& prices) {
  Result<ApplicationLoader> loader = ApplicationLoader::Find(
      options.recording.recordings, {.event_logs = {.window = options.window}, .log_records = false});
  if (!loader) return tl::unexpected(loader.error());
  if (!AreOfJobs(*loader)) return std::nullopt;
  std::vector<Application> applications;
  std::vector<InputOutcome> outcomes;
  for (size_t row = 0; row < loader->applications().size(); ++row) {
    for (Application& application : loader->Read(row, &outcomes)) {
      const bool is_of_spark = application.tasks.Size() + application.jobs.size() + application.executors.size() > 0 ||
                               !application.spark_version.empty();
      if (is_of_spark) applications.push_back(std::move(application));
    }
  }
  if (applications.empty()) return std::nullopt;
  if (!options.json) {
    AnalyzeText text;
    for (const Application& application : applications) text.Add(application, Answer(application, prices), "");
    return text.Render(*loader, outcomes, {});
  }
  PrintProblems(ProblemsOf(loader->inputs(), loader->recording_status(), outcomes));
  std::vector<const Application*> all;
  for (const Application& application : applications) all.push_back(&application);
  const std::vector<Answers> answers = AnswerAll(all, prices);
  return RenderInfoJson(RunsOf(all, answers), nullptr) + "\n";
}

// JSON, one object per profile and line. If an input is not a profile, prints that and returns an empty text.
Result<std::string> DescribeProfiles(const InfoOptions& options) {
  const Result<ProfileFiles> profiles = FindProfiles(options.recording.recordings, options.input_format);
  if (!profiles) return tl::unexpected(profiles.error());
  if (!profiles->why_empty.empty()) Complain(profiles->why_empty);
  std::string text;
  for (const ProfileFile& file : profiles->files) {
    const Result<ForeignProfile> foreign = LoadForeignProfile(
        file, options.input_format, {.lenient = options.lenient, .keep_threads = true, .bucket_ns = kHeatmapBucketNs});
    if (!foreign) return tl::unexpected(foreign.error());
    if (!foreign->why_empty.empty()) {
      Complain(foreign->why_empty);
      return std::string();
    }
    text += options.json ? RenderProfileInfoJson(foreign->format, foreign->profile) + "\n"
                         : RenderProfileInfoText(foreign->format, foreign->profile);
  }
  return text;
}

int RunInfo(const InfoOptions& options) {
  const std::vector<std::string>& inputs = options.recording.recordings;
  // A folder counts as a recording, although it may contain logs.
  const bool has_recording = std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) {
    std::error_code error;
    return IsRecording(input, options.input_format) &&
           (!std::filesystem::is_directory(input, error) || !FindRecordings(input).empty());
  });
  const Result<Prices> prices = ReadPrices(options.prices);
  if (!prices) return Complain(prices.error().message);
  const Result<std::optional<std::string>> logs =
      has_recording || !options.input_format.empty() ? std::nullopt : DescribeLogs(options, *prices);
  const Result<std::string> text = logs && *logs   ? Result<std::string>(**logs)
                                   : has_recording ? DescribeRecordings(options, *prices)
                                                   : DescribeProfiles(options);
  if (!text) return Complain(text.error().message, has_recording && AreOtherContent(inputs) ? kExitNo : kExitUsage);
  if (text->empty()) return kExitNo;
  const Result<void> written = WriteOutput("-", options.json ? *text : WrapForTerminal(*text));
  return written ? kExitSuccess : Complain(written.error().message);
}

}  // namespace

std::function<int()> DefineInfo(CLI::App& command) {
  const auto options = std::make_shared<InfoOptions>();
  options->recording.AddTo(command);
  AddWindowTo(command, &options->window);
  AddOption(command, "--input-format FORMAT", &options->input_format,
            "Format of the input, if detection fails; see `sparkprof convert --formats`");
  command.add_flag("--lenient", options->lenient, "Skip unreadable input and report how much was skipped");
  command.add_flag("--json", options->json, "Print JSON");
  AddPricesTo(command, &options->prices);
  AcceptUrls(command, &options->recording.recordings);
  command.footer(
      "Shows the contents of recordings, event logs and logs of drivers and executors. For profiles in other formats,\n"
      "shows the format, the events and their sums.\n"
      "Examples:\n"
      "  sparkprof info sparkprof-output/recording.sprof\n"
      "  sparkprof info --json recording.sprof | jq .samples.cpu\n"
      "  sparkprof info profile.jfr");
  return [options] { return RunInfo(*options); };
}

}  // namespace sparkprof
