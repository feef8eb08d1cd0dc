// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <memory>

#include "flame_options.h"
#include "progress.h"
#include "terminal_output.h"
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
  std::string for_terminal;
  if (options.flame.output.output.empty() && options.flame.output.format.empty() && !options.flame.counts) {
    for_terminal = FileForTerminal();
    options.flame.output.output = for_terminal;
  }
  Result<LoadedProfile> loaded = LoadProfile(options.inputs, options.flame.input, options.flame.Needs());
  if (!loaded) return Complain(loaded.error().message);
  if (!loaded->why_empty.empty()) return Complain(loaded->why_empty, kExitNo);

  const Progress progress("drawing");
  const Result<void> drawn = DrawFlame(options.flame, &*loaded, nullptr);
  if (!drawn) return Complain(drawn.error().message);
  if (!loaded->why_empty.empty()) return Complain(loaded->why_empty, kExitNo);
  if (for_terminal.empty()) return kExitSuccess;
  const Result<void> written = WriteOutput("-", WrittenText(for_terminal, loaded->application.profile, loaded->event));
  return written ? kExitSuccess : Complain(written.error().message);
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
      "neither. On a terminal, writes flame.svg instead and prints the top functions; -o - prints the stacks. Exits "
      "with code 1 if no samples match.\n"
      "Examples:\n"
      "  sparkprof flame recording.sprof --stage 3 -o stage3.svg\n"
      "  sparkprof flame recording.sprof --event wall --task 1042 --format collapsed\n"
      "  sparkprof flame recording.sprof --event alloc --from 10s --to 20s -o alloc.html\n"
      "  perf script | sparkprof flame - --title 'on CPU' -o perf.svg\n"
      "  sparkprof flame profile.jfr --event alloc --threads -o alloc.html");
  return [options, &command] { return RunFlame(*options, command); };
}

}  // namespace sparkprof
