// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "analysis/python_waits.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "recording_options.h"
#include "render/python_json.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct WaitsOptions {
  RecordingOptions recording;
  bool json = false;
};

std::string Json(const std::vector<StageWaits>& stages) {
  JsonWriter json;
  json.BeginArray();
  for (const StageWaits& waits : stages) {
    json.BeginObject();
    WriteWaits(waits, &json);
    json.EndObject();
  }
  return json.EndArray().Take() + "\n";
}

std::string Text(const std::vector<StageWaits>& stages) {
  std::string text =
      fmt::format("{:>6} {:>14} {:>14} {:>14} {:>14}\n{:>6} {:>14} {:>14} {:>14} {:>14}\n", "", "JVM waits", "JVM busy",
                  "both", "both", "stage", "Python busy", "Python waits", "busy", "wait");
  for (const StageWaits& waits : stages) {
    text += fmt::format("{:>6} {:>14} {:>14} {:>14} {:>14}\n", waits.stage,
                        FormatDuration(waits.jvm_waiting_python_busy), FormatDuration(waits.jvm_busy_python_waiting),
                        FormatDuration(waits.jvm_busy_python_busy), FormatDuration(waits.both_waiting));
  }
  for (const StageWaits& waits : stages) text += fmt::format("stage {}: {}\n", waits.stage, WaitsInWords(waits));
  return text;
}

int RunWaits(const WaitsOptions& options) {
  const Result<LoadedRecording> loaded = Load(options.recording);
  if (!loaded) return Complain(loaded.error().message);
  const Application& application = loaded->Longest();
  if (!loaded->OthersNote().empty()) Complain(fmt::format("showing {}. {}", application.id, loaded->OthersNote()));
  const std::vector<StageWaits> stages = WaitsOfStages(application, KindsOfStacks(application));
  if (stages.empty() && !options.json) {
    return Complain(fmt::format("{}: no stage with Python workers has wall-clock samples", loaded->name), kExitNo);
  }
  const Result<void> written = WriteOutput("-", options.json ? Json(stages) : Text(stages));
  return written ? kExitSuccess : Complain(written.error().message);
}

}  // namespace

std::function<int()> DefineWaits(CLI::App& command) {
  const auto options = std::make_shared<WaitsOptions>();
  options->recording.AddTo(command);
  command.add_flag("--json", options->json, "Print JSON");
  command.footer(
      "For each stage that uses Python: the wall-clock time of its tasks by the state of the JVM and of the Python\n"
      "workers. \"JVM waits, Python busy\" is Python-bound, \"JVM busy, Python waits\" is JVM-bound.\n"
      "Exits with code 1 if there is no such stage; --json then prints an empty list.\n"
      "Examples:\n"
      "  sparkprof waits sparkprof-output/recording.sprof\n"
      "  sparkprof waits --json recording.sprof | jq '.[] | select(.jvmWaitingPythonBusy > .jvmBusyPythonWaiting)'");
  return [options] { return RunWaits(*options); };
}

}  // namespace sparkprof
