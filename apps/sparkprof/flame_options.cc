// SPDX-License-Identifier: Apache-2.0
#include "flame_options.h"

#include <fmt/format.h>

#include <optional>

#include "formats/collapsed/collapsed_reader.h"

namespace sparkprof {
namespace {

// Two columns of a collapsed file are a comparison.
std::optional<EventId> BaseEvent(const Profile& profile) {
  if (profile.events.size() != 2 || profile.events[0].name != CollapsedReader::kBefore) return std::nullopt;
  return 0;
}

}  // namespace

void FlameOptions::AddTo(CLI::App& command) {
  input.AddTo(command);
  transform.AddTo(command);
  output.AddTo(command);
  command.add_flag("--flamechart", output.svg.flame_chart,
                   "Draw samples in order of time; merge only adjacent frames (svg)");
  command.add_flag("--counts", counts, "Count samples instead of ns or bytes (collapsed)");
}

Result<void> FlameOptions::Finish(const CLI::App& command, std::vector<std::string>* inputs) {
  if (Result<void> finished = input.Finish(command); !finished) return finished;
  if (Result<void> finished = output.Finish(inputs, 1, /*last_is_output=*/false); !finished) return finished;
  if (counts && output.Writer().name != "collapsed") return Fail("--counts requires --format collapsed");
  if (output.svg.flame_chart && output.Writer().name != "svg") return Fail("--flamechart requires --format svg");
  return {};
}

ProfileNeeds FlameOptions::Needs() const {
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

Result<void> DrawFlame(const FlameOptions& options, LoadedProfile* loaded, OutputFile* memory) {
  Application& application = loaded->application;
  const ProfileWriter& writer = options.output.Writer();
  ProfileWriteOptions write{.event = loaded->event, .counts = options.counts};
  write.base_event = BaseEvent(application.profile);
  if (write.base_event && options.output.svg.flame_chart) {
    return Fail(fmt::format("{}: --flamechart requires one weight per stack, found two", loaded->input));
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
  if (Result<void> shown = Show(options.transform.For(writer), one_event, loaded); !shown) return shown;
  write.event = loaded->event;
  if (application.profile.samples.empty()) {
    loaded->why_empty = fmt::format("{}: no stacks match the options", application.profile.name);
    return {};
  }
  return memory == nullptr ? WriteProfile(application, options.output, write)
                           : WriteProfileTo(application, options.output, write, memory);
}

}  // namespace sparkprof
