// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "analysis/answers.h"
#include "recording_options.h"
#include "render/info_json.h"
#include "render/info_text.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct InfoOptions {
  RecordingOptions recording;
  bool json = false;
};

int RunInfo(const InfoOptions& options) {
  const Result<LoadedRecording> loaded = Load(options.recording);
  if (!loaded) return Complain(loaded.error().message);
  std::string text;
  if (options.json) {
    text = RenderInfoJson(loaded->applications, &loaded->recording.status, {}) + "\n";
  } else {
    std::vector<std::vector<std::string>> lines;
    for (const Application* application : loaded->applications) lines.push_back(Answer(*application).lines);
    text = RenderInfoText(loaded->applications, lines, loaded->recording.status);
  }
  const Result<void> written = WriteOutput("-", text);
  return written ? kExitSuccess : Complain(written.error().message);
}

}  // namespace

std::function<int()> DefineInfo(CLI::App& command) {
  const auto options = std::make_shared<InfoOptions>();
  options->recording.AddTo(command);
  command.add_flag("--json", options->json, "Print JSON");
  command.footer(
      "Examples:\n"
      "  sparkprof info sparkprof-output/recording.sprof\n"
      "  sparkprof info --json recording.sprof | jq .samples.cpu");
  return [options] { return RunInfo(*options); };
}

}  // namespace sparkprof
