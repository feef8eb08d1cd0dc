// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "analysis/foreign_application.h"
#include "analysis/merge_profiles.h"
#include "analysis/profile_diff.h"
#include "base/output_file.h"
#include "model/profile_builder.h"
#include "number_checks.h"
#include "profile_input.h"
#include "profile_output.h"
#include "render/diff_output.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct DiffVerbOptions {
  std::string before, after;
  std::string third;  // the output, as in jfrconv --diff
  ProfileInputOptions input;
  TransformOptions transform;
  ProfileOutputOptions output;
  bool normalize = false;
  bool absolute = false;
  size_t top = 30;
  double fail_above = -1;     // percent; negative = never
  double min_confidence = 0;  // percent

  Result<void> Finish(const CLI::App& command) {
    if (Result<void> finished = input.Finish(command); !finished) return finished;
    std::vector<std::string> arguments{before, after};
    if (!third.empty()) arguments.push_back(third);
    if (Result<void> finished = output.Finish(&arguments, 2, /*last_is_output=*/true); !finished) return finished;
    if (arguments.size() > 2) return Fail(fmt::format("-o {} and {} both name the output", output.output, third));
    if (normalize && absolute) return Fail("--normalize and --absolute are mutually exclusive");
    return {};
  }
};

// One side: read, transformed, one event.
Result<Profile> LoadSide(const std::string& path, const DiffVerbOptions& options) {
  Result<LoadedProfile> loaded =
      LoadProfile({path}, options.input, {.threads = options.transform.transform.NeedsThreads()});
  if (!loaded) return tl::unexpected(loaded.error());
  if (!loaded->why_empty.empty() && loaded->application.profile.events.empty()) {
    // An empty profile is valid: all frames are then new or gone.
    ProfileBuilder nothing({.name = path});
    nothing.AddEvent(options.input.selection.event, "count");
    return nothing.Take();
  }
  ProfileTransform transform = options.transform.transform;
  transform.lines = options.transform.lines;
  return Transform(std::move(loaded->application.profile), transform, loaded->event);
}

// Fails if the sides count different things. Shares of different units can be compared.
Result<void> CheckComparable(const Profile& before, const Profile& after, const DiffVerbOptions& options) {
  if (before.samples.empty() || after.samples.empty()) return {};
  const ProfileEvent &a = before.events[0], &b = after.events[0];
  const bool same_unit = a.unit == b.unit || options.normalize;
  if (same_unit && (options.input.event_was_given || HaveSameName(a, b))) return {};
  return Fail(fmt::format(
      "cannot compare {} ({}) of {} with {} ({}) of {}; {}", a.name, a.unit, options.before, b.name, b.unit,
      options.after, same_unit ? "select an event that both have with --event" : "compare shares with --normalize"));
}

// Whether a frame increased more than allowed; prints it to standard error.
bool GainedTooMuch(const ProfileDiff& diff, const DiffVerbOptions& options) {
  const FrameChange* worst = nullptr;
  for (const FrameChange& change : diff.changes) {
    if (change.confidence * 100 < options.min_confidence) continue;
    if (worst == nullptr || change.change > worst->change) worst = &change;
  }
  if (worst == nullptr || worst->change * 100 <= options.fail_above) return false;
  Complain(fmt::format("{} increased by {:.2f}% of the total, more than {:g}% (confidence {:.1f}%)", worst->label,
                       worst->change * 100, options.fail_above, worst->confidence * 100),
           kExitNo);
  return true;
}

Result<void> Write(Profile together, const ProfileDiff& diff, const DiffVerbOptions& options) {
  const std::string unit = together.events[1].unit;
  const bool says_format = !options.output.format.empty() || ProfileWriterForPath(options.output.output) != nullptr;
  const std::string_view format = says_format ? options.output.Writer().name : "text";
  if (format != "text" && format != "json") {
    ProfileWriteOptions write{.event = 1, .base_event = 0, .svg = options.output.svg};
    if (write.svg.title.empty()) write.svg.title = "Differential Flame Graph";
    if (write.svg.subtitle.empty()) {
      write.svg.subtitle =
          fmt::format("{} compared with {}: red increased, blue decreased", options.after, options.before);
    }
    return WriteProfile(ForeignApplication(std::move(together)), options.output, write);
  }
  Result<OutputFile> file = CreateOutput(options.output.output, nullptr);
  if (!file) return tl::unexpected(file.error());
  if (format == "json") {
    WriteDiffJson(diff, unit, options.normalize, &*file);
  } else {
    WriteDiffText(diff, unit, options.top, &*file);
  }
  if (Result<void> committed = file->Commit(); !committed) return committed;
  if (options.output.named_after_input) Complain(fmt::format("wrote {}", options.output.output));
  return {};
}

int RunDiff(DiffVerbOptions options, const CLI::App& command) {
  if (const Result<void> finished = options.Finish(command); !finished) {
    return Misuse(command, finished.error().message);
  }
  const Result<Profile> before = LoadSide(options.before, options);
  if (!before) return Complain(before.error().message);
  const Result<Profile> after = LoadSide(options.after, options);
  if (!after) return Complain(after.error().message);
  if (const Result<void> good = CheckComparable(*before, *after, options); !good) return Complain(good.error().message);
  Profile together = PutTogether(*before, 0, *after, 0, options.normalize);
  const ProfileDiff diff = Compare(together, options.normalize);
  const Result<void> written = Write(std::move(together), diff, options);
  if (!written) return Complain(written.error().message);
  return options.fail_above >= 0 && GainedTooMuch(diff, options) ? kExitNo : kExitSuccess;
}

}  // namespace

std::function<int()> DefineDiff(CLI::App& command) {
  const auto options = std::make_shared<DiffVerbOptions>();
  command.add_option("BEFORE", options->before, "The baseline: a profile of any format, or a recording")->required();
  command.add_option("AFTER", options->after, "The profile to compare with the baseline")->required();
  command.add_option("OUTPUT", options->third, "Same as -o");
  options->input.AddTo(command, /*short_state=*/false);
  options->transform.AddTo(command);
  options->output.AddTo(command);
  command.add_flag("-n,--normalize,--normalized,--normalise,--normalised", options->normalize,
                   "Compare shares: scale BEFORE so that both totals are equal");
  command.add_flag("-s", options->transform.transform.strip_hex, "Same as --strip-hex; for difffolded.pl users");
  command.add_flag("--absolute", options->absolute, "Compare weights (the default)");
  command.add_option("--top", options->top, "Number of frames in the table")->capture_default_str();
  command
      .add_option("--fail-above", options->fail_above,
                  "Exit with code 1 if a frame increased by more than this percentage of the total of BEFORE")
      ->type_name("PERCENT")
      ->check(AtLeast(0));
  command
      .add_option("--min-confidence", options->min_confidence, "With --fail-above: ignore changes with less confidence")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.0, 100.0));
  command.footer(
      "By default, prints a table of the frames with the largest changes. In SVG, red frames increased\n"
      "and blue frames decreased. collapsed has two columns, like the output of difffolded.pl.\n"
      "Examples:\n"
      "  sparkprof diff before.jfr after.jfr\n"
      "  sparkprof diff before.collapsed after.collapsed --normalize -o diff.svg\n"
      "  sparkprof diff main.pb.gz branch.pb.gz --normalize --fail-above 2 --min-confidence 99");
  return [options, &command] { return RunDiff(*options, command); };
}

}  // namespace sparkprof
