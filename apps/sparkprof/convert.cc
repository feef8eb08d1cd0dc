// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "profile_input.h"
#include "profile_output.h"
#include "progress.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct ConvertVerbOptions {
  std::vector<std::string> paths;
  ProfileInputOptions input;
  TransformOptions transform;
  ProfileOutputOptions output;
};

int RunConvert(ConvertVerbOptions options, const CLI::App& command) {
  if (const Result<void> finished = options.input.Finish(command); !finished) {
    return Misuse(command, finished.error().message);
  }
  if (const Result<void> finished = options.output.Finish(&options.paths, 1, /*last_is_output=*/true); !finished) {
    return Misuse(command, finished.error().message);
  }
  if (options.output.format.empty() && ProfileWriterForPath(options.output.output) == nullptr) {
    return Misuse(command, "standard output: unknown output format; use --format");
  }
  const ProfileWriter& writer = options.output.Writer();
  ProfileNeeds needs;
  needs.threads = writer.keeps_threads || options.transform.transform.NeedsThreads();
  needs.answers = writer.name == "html";
  needs.bucket_ns = writer.bucket_ns;
  Result<LoadedProfile> loaded = LoadProfile(options.paths, options.input, needs);
  if (!loaded) return Complain(loaded.error().message);
  if (!loaded->why_empty.empty()) return Complain(loaded->why_empty, kExitNo);
  const Progress progress("converting");
  if (const Result<void> shown = Show(options.transform.For(writer), options.input.event_was_given, &*loaded); !shown) {
    return Complain(shown.error().message);
  }
  const ProfileWriteOptions write{.event = loaded->event,
                                  .answers = loaded->answers ? &*loaded->answers : nullptr,
                                  .note = loaded->note,
                                  .svg = options.output.svg};
  const Result<void> written = WriteProfile(loaded->application, options.output, write);
  return written ? kExitSuccess : Complain(written.error().message);
}

}  // namespace

std::function<int()> DefineConvert(CLI::App& command) {
  const auto options = std::make_shared<ConvertVerbOptions>();
  command.add_option("INPUT", options->paths, "Profiles of any format, followed by the output file unless -o names it")
      ->required();
  options->input.AddTo(command);
  options->transform.AddTo(command);
  options->output.AddTo(command);
  command.footer(
      "The output's name or --format selects the format. All events are kept if the format supports it.\n"
      "Examples:\n"
      "  sparkprof convert profile.jfr profile.pb.gz\n"
      "  sparkprof convert perf.txt -o perf.speedscope.json\n"
      "  sparkprof convert profile.jfr --event alloc --format collapsed -o -");
  return [options, &command] { return RunConvert(*options, command); };
}

}  // namespace sparkprof
