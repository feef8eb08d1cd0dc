// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <memory>

#include "flame_options.h"
#include "progress.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct FlameVerbOptions {
  std::vector<std::string> inputs;
  FlameOptions flame;
};

int RunFlame(FlameVerbOptions options, const CLI::App& command) {
  if (options.inputs.empty() && isatty(STDIN_FILENO) == 1) {
    return Misuse(command, "missing input: name a profile or recording, or pipe one to standard input");
  }
  if (options.inputs.empty()) options.inputs = {"-"};
  if (const Result<void> finished = options.flame.Finish(command, &options.inputs); !finished)
    return Misuse(command, finished.error().message);
  Result<LoadedProfile> loaded = LoadProfile(options.inputs, options.flame.input, options.flame.Needs());
  if (!loaded) return Complain(loaded.error().message);
  if (!loaded->why_empty.empty()) return Complain(loaded->why_empty, kExitNo);

  const Progress progress("drawing");
  const Result<void> drawn = DrawFlame(options.flame, &*loaded, nullptr);
  if (!drawn) return Complain(drawn.error().message);
  return loaded->why_empty.empty() ? kExitSuccess : Complain(loaded->why_empty, kExitNo);
}

}  // namespace

std::function<int()> DefineFlame(CLI::App& command) {
  const auto options = std::make_shared<FlameVerbOptions>();
  command.add_option(
      "INPUT", options->inputs,
      "Recordings (.sprof or folders of them), or profiles of any supported format; - is standard input, "
      "which is also the default unless it is a terminal. If the last name ends in .html or .svg and does not exist, "
      "it is the output");
  options->flame.AddTo(command);
  command.footer(
      "Prints root;...;leaf WEIGHT by default: ns for cpu, wall and lock, bytes for alloc, samples if the format has\n"
      "neither. Exits with code 1 if no samples match.\n"
      "Examples:\n"
      "  sparkprof flame recording.sprof --stage 3 -o stage3.svg\n"
      "  sparkprof flame recording.sprof --event wall --task 1042 --format collapsed\n"
      "  sparkprof flame recording.sprof --event alloc --from 10s --to 20s -o alloc.html\n"
      "  perf script | sparkprof flame - --title 'on CPU' -o perf.svg\n"
      "  sparkprof flame profile.jfr --event alloc --threads -o alloc.html");
  return [options, &command] { return RunFlame(*options, command); };
}

}  // namespace sparkprof
