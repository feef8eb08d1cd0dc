// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "base/output_file.h"
#include "output_name.h"
#include "profile_input.h"
#include "profile_output.h"
#include "progress.h"
#include "render/heatmap_writer.h"
#include "render/profile_writers.h"
#include "share_option.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct HeatmapVerbOptions {
  std::vector<std::string> inputs;
  ProfileInputOptions input;
  TransformOptions transform;
  std::string output;
};

int RunHeatmap(HeatmapVerbOptions options, const CLI::App& command) {
  if (const Result<void> finished = options.input.Finish(command); !finished) {
    return Misuse(command, finished.error().message);
  }
  const Result<bool> named_after_input = TakePage(&options.inputs, &options.output);
  if (!named_after_input) return Misuse(command, named_after_input.error().message);
  if (options.output.empty()) options.output = "heatmap.html";
  ProfileNeeds needs;
  needs.threads = options.transform.transform.NeedsThreads();
  needs.bucket_ns = kHeatmapBucketNs;
  Result<LoadedProfile> loaded = LoadProfile(options.inputs, options.input, needs);
  if (!loaded) return Complain(loaded.error().message);
  if (!loaded->why_empty.empty()) return Complain(loaded->why_empty, kExitNo);
  const Progress progress(fmt::format("writing {}", options.output));
  ProfileTransform transform = options.transform.transform;
  transform.lines = options.transform.lines;
  if (const Result<void> shown = Show(transform, /*one_event=*/false, &*loaded); !shown) {
    return Complain(shown.error().message);
  }
  Result<OutputFile> file = CreateOutput(options.output, nullptr);
  if (!file) return Complain(file.error().message);
  if (const Result<void> written = WriteHeatmap(loaded->application.profile, loaded->event, &*file); !written) {
    return Complain(written.error().message);
  }
  if (const Result<void> committed = file->Commit(); !committed) return Complain(committed.error().message);
  if (*named_after_input) Complain(fmt::format("wrote {}", options.output));
  return kExitSuccess;
}

}  // namespace

std::function<int()> DefineHeatmap(CLI::App& command) {
  const auto options = std::make_shared<HeatmapVerbOptions>();
  command.add_option("INPUT", options->inputs, "Profiles with timestamps: recordings, JFR, perf")->required();
  options->input.AddTo(command);
  options->transform.AddTo(command);
  command.add_option("-o,--output", options->output, "Output file (default: heatmap.html); - is standard output")
      ->type_name("FILE");
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
