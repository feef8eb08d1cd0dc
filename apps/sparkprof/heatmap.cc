// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "base/output_file.h"
#include "option_flags.h"
#include "output_name.h"
#include "pictures/draw.h"
#include "profile_input.h"
#include "progress.h"
#include "render/heatmap_writer.h"
#include "render/profile_writers.h"
#include "share_option.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct HeatmapVerbOptions {
  std::vector<std::string> inputs;
  PictureRequest request;
};

int RunHeatmap(HeatmapVerbOptions options, const CLI::App& command) {
  PictureRequest& request = options.request;
  if (const Result<void> finished = request.Finish(PictureKind::kHeatmap); !finished) {
    return Misuse(command, finished.error().message);
  }
  const Result<bool> named_after_input = TakePage(&options.inputs, &request.output);
  if (!named_after_input) return Misuse(command, named_after_input.error().message);
  if (request.output.empty()) request.output = "heatmap.html";
  ProfileNeeds needs;
  needs.threads = request.transform.NeedsThreads();
  needs.bucket_ns = kHeatmapBucketNs;
  Result<LoadedProfile> loaded = LoadProfile(options.inputs, request, needs);
  if (!loaded) return Complain(loaded.error().message);
  if (!loaded->why_empty.empty()) return Complain(loaded->why_empty, kExitNo);
  const Progress progress(fmt::format("writing {}", request.output));
  if (const Result<void> shown = Show(request.PlainTransform(), /*one_event=*/false, &*loaded); !shown) {
    return Complain(shown.error().message);
  }
  Result<OutputFile> file = CreateOutput(request.output, nullptr);
  if (!file) return Complain(file.error().message);
  if (const Result<void> written = WriteHeatmap(loaded->application.profile, loaded->event, &*file); !written) {
    return Complain(written.error().message);
  }
  if (const Result<void> committed = file->Commit(); !committed) return Complain(committed.error().message);
  if (*named_after_input) Complain(fmt::format("wrote {}", request.output));
  return kExitSuccess;
}

}  // namespace

std::function<int()> DefineHeatmap(CLI::App& command) {
  const auto options = std::make_shared<HeatmapVerbOptions>();
  command.add_option("INPUT", options->inputs, "Profiles with timestamps: recordings, JFR, perf")->required();
  AddOptions(command, options->request.Options(PictureKind::kHeatmap));
  AddShareTo(command);
  command.footer(
      "A column is a second, a row is 20 ms. Select a range to see its flame graph, and a second range to compare "
      "one\n"
      "them. The time resolution of a recording is its bucket, one second by default.\n"
      "Examples:\n"
      "  sparkprof heatmap profile.jfr -o heatmap.html\n"
      "  perf script | sparkprof heatmap - -o perf.html");
  return [options, &command] { return RunHeatmap(*options, command); };
}

}  // namespace sparkprof
