// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "capture/recording_options.h"
#include "inputs/profile_input.h"
#include "inputs/remote_options.h"
#include "inputs/shared_options.h"
#include "option_flags.h"
#include "output/profile_output.h"
#include "output/progress.h"
#include "pictures/draw.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct FlameVerbOptions {
  std::vector<std::string> inputs;
  PictureRequest request;
};

int RunFlame(FlameVerbOptions options, const CLI::App& command) {
  if (options.inputs.empty() && isatty(STDIN_FILENO) == 1) {
    return Misuse(command, "missing input: name a profile or recording, or pipe one to standard input");
  }
  if (options.inputs.empty()) options.inputs = {"-"};
  PictureRequest& request = options.request;
  const Result<bool> named_after_input = FinishRequest(PictureKind::kFlame, &options.inputs, &request);
  if (!named_after_input) return Misuse(command, named_after_input.error().message);
  std::string for_terminal;
  if (request.output.empty() && request.format.empty() && !request.counts) {
    for_terminal = FileForTerminal();
    request.output = for_terminal;
  }
  Result<LoadedProfile> loaded = LoadProfile(options.inputs, request, request.Needs());
  if (!loaded) return Complain(loaded.error().message);
  if (!loaded->why_empty.empty()) return Complain(loaded->why_empty, kExitNo);

  const Progress progress("drawing");
  // The readers' notes have already been printed.
  loaded->application.profile.notes.clear();
  const Result<ProfileWriteOptions> write = PrepareFlame(request, &*loaded);
  if (!write) return Complain(write.error().message);
  for (const std::string& note : loaded->application.profile.notes) Complain(note);
  if (!loaded->why_empty.empty()) return Complain(loaded->why_empty, kExitNo);
  if (const Result<void> written = WriteProfile(loaded->application, request, *write); !written) {
    return Complain(written.error().message);
  }
  if (*named_after_input) Complain(fmt::format("wrote {}", request.output));
  if (for_terminal.empty()) return kExitSuccess;
  const Result<void> printed = WriteOutput("-", WrittenText(for_terminal, loaded->application.profile, loaded->event));
  return printed ? kExitSuccess : Complain(printed.error().message);
}

}  // namespace

std::function<int()> DefineFlame(CLI::App& command) {
  const auto options = std::make_shared<FlameVerbOptions>();
  command.add_option(
      "INPUT", options->inputs,
      "Recordings (.sprof or folders of them), or profiles of any supported format; - is standard input, "
      "which is also the default unless it is a terminal. If the last name ends in .html or .svg and does not exist, "
      "it is the output");
  AddOptions(command, options->request.Options(PictureKind::kFlame));
  AddShareTo(command);
  AcceptUrls(command, &options->inputs);
  command.footer(
      "Prints root;...;leaf WEIGHT by default: ns for cpu, wall and lock, bytes for alloc, samples if the format has\n"
      "neither. On a terminal, writes flame.svg instead and prints the top functions; -o - prints the stacks. Exits "
      "with code 1 if no samples match.\n"
      "\n"
      "A heat map (--format heatmap) has a column per second and a row per 20 ms. Select a range to see its flame\n"
      "graph, and a second range to compare them.\n"
      "Examples:\n"
      "  sparkprof flame recording.sprof --stage 3 -o stage3.svg\n"
      "  sparkprof flame recording.sprof --event wall --task 1042 --format collapsed\n"
      "  sparkprof flame recording.sprof --event alloc --from 10s --to 20s -o alloc.html\n"
      "  perf script | sparkprof flame - --title 'on CPU' -o perf.svg\n"
      "  sparkprof flame profile.jfr -o profile.heatmap.html\n"
      "  sparkprof flame profile.jfr --event alloc --threads -o alloc.html");
  return [options, &command] { return RunFlame(*options, command); };
}

}  // namespace sparkprof
