// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "base/output_file.h"
#include "output_name.h"
#include "profile_input.h"
#include "profile_output.h"
#include "progress.h"
#include "render/heatmap_writer.h"
#include "share_option.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct HeatmapVerbOptions {
  std::vector<std::string> inputs;
  ProfileInputOptions input;
  TransformOptions transform;
  std::string output = "heatmap.html";
};

int RunHeatmap(HeatmapVerbOptions options, const CLI::App& command) {
  if (const Result<void> finished = options.input.Finish(command); !finished) return Complain(finished.error().message);
  if (const Result<void> good = CheckEnding("-o", options.output, {kPageEnding}); !good)
    return Complain(good.error().message);
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
  Result<OutputFile> file = OutputFile::Create(options.output);
  if (!file) return Complain(file.error().message);
  if (const Result<void> written = WriteHeatmap(loaded->application.profile, loaded->event, &*file); !written) {
    return Complain(written.error().message);
  }
  const Result<void> committed = file->Commit();
  return committed ? kExitSuccess : Complain(committed.error().message);
}

}  // namespace

std::function<int()> DefineHeatmap(CLI::App& command) {
  const auto options = std::make_shared<HeatmapVerbOptions>();
  command
      .add_option("INPUT", options->inputs, "Profiles that know when their samples were taken: recordings, JFR, perf")
      ->required();
  options->input.AddTo(command);
  options->transform.AddTo(command);
  command.add_option("-o,--output", options->output, "The page to write; - is standard output")
      ->type_name("FILE")
      ->capture_default_str();
  AddShareTo(command);
  command.footer(
      "Columns are seconds, rows parts of a second of 20 ms. A range that is picked shows its flame graph, a second "
      "one\n"
      "their difference. Recordings know times to their bucket, one second unless a setting says otherwise.\n"
      "Examples:\n"
      "  sparkprof heatmap profile.jfr -o heatmap.html\n"
      "  perf script | sparkprof heatmap - -o perf.html");
  return [options, &command] { return RunHeatmap(*options, command); };
}

}  // namespace sparkprof
