// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "formats/collapsed/collapsed_reader.h"
#include "profile_input.h"
#include "profile_output.h"
#include "progress.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct FlameVerbOptions {
  std::vector<std::string> inputs;
  ProfileInputOptions input;
  TransformOptions transform;
  ProfileOutputOptions output;
  bool counts = false;

  Result<void> Finish(const CLI::App& command) {
    if (Result<void> finished = input.Finish(command); !finished) return finished;
    if (Result<void> finished = output.Finish(&inputs, 1, /*last_is_output=*/false); !finished) return finished;
    if (counts && output.Writer().name != "collapsed") return Fail("--counts requires --format collapsed");
    if (output.svg.flame_chart && output.Writer().name != "svg") return Fail("--flamechart requires --format svg");
    return {};
  }

  ProfileNeeds Needs() const {
    const ProfileWriter& writer = output.Writer();
    ProfileNeeds needs;
    needs.threads = transform.transform.NeedsThreads() || writer.keeps_threads;
    needs.answers = writer.name == "html";
    needs.bucket_ns = writer.bucket_ns;
    if (output.svg.flame_chart) {
      needs.keep_order = true;
      needs.bucket_ns = 1;
    }
    return needs;
  }
};

// Two columns of a collapsed file are a comparison.
std::optional<EventId> BaseEvent(const Profile& profile) {
  if (profile.events.size() != 2 || profile.events[0].name != CollapsedReader::kBefore) return std::nullopt;
  return 0;
}

int RunFlame(FlameVerbOptions options, const CLI::App& command) {
  if (options.inputs.empty() && isatty(STDIN_FILENO) == 1) {
    return Misuse(command, "missing input: name a profile or recording, or pipe one to standard input");
  }
  if (options.inputs.empty()) options.inputs = {"-"};
  if (const Result<void> finished = options.Finish(command); !finished)
    return Misuse(command, finished.error().message);
  Result<LoadedProfile> loaded = LoadProfile(options.inputs, options.input, options.Needs());
  if (!loaded) return Complain(loaded.error().message);
  if (!loaded->why_empty.empty()) return Complain(loaded->why_empty, kExitNo);

  const Progress progress("drawing");
  Application& application = loaded->application;
  const ProfileWriter& writer = options.output.Writer();
  ProfileWriteOptions write{.event = loaded->event, .counts = options.counts};
  write.base_event = BaseEvent(application.profile);
  if (write.base_event && options.output.svg.flame_chart) {
    return Complain(fmt::format("{}: --flamechart requires one weight per stack, found two", options.inputs[0]));
  }
  write.answers = loaded->answers ? &*loaded->answers : nullptr;
  write.note = loaded->note;
  write.svg = options.output.svg;
  const ProfileEvent& event = application.profile.events[loaded->event];
  if (write.svg.title.empty() && (!application.is_foreign || event.unit != "count")) {
    write.svg.title = fmt::format("{}: {}", application.name, application.is_foreign ? event.name : event.Label());
  }
  if (!application.is_foreign && write.svg.subtitle.empty()) write.svg.subtitle = Describe(loaded->selection);
  const bool one_event = options.input.event_was_given && !write.base_event;
  if (const Result<void> shown = Show(options.transform.For(writer), one_event, &*loaded); !shown) {
    return Complain(shown.error().message);
  }
  write.event = loaded->event;
  if (application.profile.samples.empty()) {
    return Complain(fmt::format("{}: no stacks match the options", application.profile.name), kExitNo);
  }
  const Result<void> written = WriteProfile(application, options.output, write);
  return written ? kExitSuccess : Complain(written.error().message);
}

}  // namespace

std::function<int()> DefineFlame(CLI::App& command) {
  const auto options = std::make_shared<FlameVerbOptions>();
  command.add_option(
      "INPUT", options->inputs,
      "Recordings (.sprof or folders of them), or profiles of any supported format; - is standard input, "
      "which is also the default unless it is a terminal. A last one that ends in .html or .svg and does not exist "
      "is the output");
  options->input.AddTo(command);
  options->transform.AddTo(command);
  options->output.AddTo(command);
  command.add_flag("--flamechart", options->output.svg.flame_chart,
                   "Draw samples in order of time; merge only adjacent frames (svg)");
  command.add_flag("--counts", options->counts, "Count samples instead of ns or bytes (collapsed)");
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
