// SPDX-License-Identifier: Apache-2.0
#include "capture/predicted_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analysis/comparison/what_if.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"
#include "capture/recording_options.h"
#include "inputs/application_input.h"
#include "number_checks.h"
#include "output/terminal_style.h"
#include "verb.h"

namespace sparkprof {
namespace {

double PredictedMillis(int64_t ns) { return static_cast<double>(ns) / static_cast<double>(kNanosPerMilli); }

double Share(int64_t part, int64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

std::string Json(const Prediction& prediction, const Application& application) {
  JsonWriter json;
  json.BeginObject().Member("application", application.id);
  json.Member("recordedMs", PredictedMillis(prediction.recorded_ns)).Member("recordedCores", prediction.recorded_cores);
  json.Member("replayedMs", PredictedMillis(prediction.replayed_ns));
  json.Member("predictedMs", PredictedMillis(prediction.predicted_ns)).Member("cores", prediction.cores);
  json.Key("rangeMs").BeginObject().Member("low", PredictedMillis(prediction.low_ns));
  json.Member("high", PredictedMillis(prediction.high_ns)).EndObject();
  return json.EndObject().Take() + "\n";
}

std::string Text(const Prediction& prediction, const Application& application) {
  return fmt::format(
      "{} ({})\n"
      "  Recorded   {} on {} cores\n"
      "  Predicted  {} on {} cores, {} ({:+.1f}%)\n"
      "  Model      {} for the recorded conditions ({:+.1f}%)\n",
      application.name, application.id, FormatDuration(prediction.recorded_ns), prediction.recorded_cores,
      FormatDuration(prediction.predicted_ns), prediction.cores,
      FormatDurationRange(prediction.low_ns, prediction.high_ns),
      100 * (Share(prediction.predicted_ns, prediction.recorded_ns) - 1), FormatDuration(prediction.replayed_ns),
      100 * (Share(prediction.replayed_ns, prediction.recorded_ns) - 1));
}

// Total cores of all executors; values that are not given keep the recorded ones.
int64_t CoresAfter(const PredictionOptions& options, const Application& application, const Prediction& as_recorded) {
  const auto executors = std::max<int64_t>(1, static_cast<int64_t>(application.ExecutorCount()));
  const int64_t cores =
      options.cores > 0 ? options.cores : std::max<int64_t>(1, as_recorded.recorded_cores / executors);
  return (options.executors > 0 ? options.executors : executors) * cores;
}

}  // namespace

int ComparePrediction(const std::string& path, const PredictionOptions& options, const InputOptions& input, bool json,
                      const CLI::App& command) {
  if (options.twice_as_fast == options.stages.empty()) {
    return Misuse(command, "--stage and --twice-as-fast need each other");
  }
  const Result<std::optional<Application>> loaded = LoadOneApplication(path, options.application, input);
  if (!loaded) return Complain(loaded.error().message);
  if (!*loaded) return kExitNo;
  const std::optional<Application>& application = *loaded;
  for (const int64_t stage : options.stages) {
    const auto is_it = [&](const Stage& known) { return known.id == stage; };
    if (std::none_of(application->stages.begin(), application->stages.end(), is_it)) {
      return Complain(fmt::format("{}: no stage {} (list them with sparkprof show stages)", path, stage));
    }
  }
  WhatIf what_if{.no_skew = options.no_skew, .twice_as_fast = options.stages};
  Prediction prediction = Predict(*application, what_if);
  if (prediction.recorded_ns == 0) {
    return Complain(fmt::format("{}: no prediction without the begins and ends of tasks", path));
  }
  if (options.executors > 0 || options.cores > 0) {
    what_if.cores = CoresAfter(options, *application, prediction);
    prediction = Predict(*application, what_if);
  }
  const Result<void> written =
      WriteOutput("-", json ? Json(prediction, *application) : WrapForTerminal(Text(prediction, *application)));
  return written ? kExitSuccess : Complain(written.error().message);
}

void PredictionOptions::AddTo(CLI::App& command) {
  constexpr int64_t kMaxExecutors = 100'000, kMaxCores = 10'000;
  AddOption(command, "--executors NUMBER", &executors, "Instead of AFTER: a run with this number of executors")
      ->check(Between(1, kMaxExecutors));
  AddOption(command, "--cores NUMBER", &cores, "Instead of AFTER: a run with this number of cores of each executor")
      ->check(Between(1, kMaxCores));
  command.add_flag("--no-skew", no_skew, "Instead of AFTER: every task of a stage takes as long as their mean");
  AddOption(command, "--stage STAGE", &stages, "Select a stage; with --twice-as-fast, may be repeated");
  command.add_flag("--twice-as-fast", twice_as_fast, "Instead of AFTER: tasks of --stage take half the time");
  AddApplicationTo(command, &application);
}

}  // namespace sparkprof
