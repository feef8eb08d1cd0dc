// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "analysis/selection/foreign_application.h"
#include "base/io/output_file.h"
#include "inputs/profile_input.h"
#include "inputs/remote_options.h"
#include "inputs/shared_options.h"
#include "model/samples/profile_builder.h"
#include "option_flags.h"
#include "output/profile_output.h"
#include "output/terminal_style.h"
#include "pictures/draw.h"
#include "profiles/merge_profiles.h"
#include "render/writers/profile_writers.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct DiffVerbOptions {
  std::string before, after;
  std::string third;  // the output, as in jfrconv --diff
  PictureRequest request;
  bool named_after_input = false;

  Result<void> Finish() {
    std::vector<std::string> arguments{before, after};
    if (!third.empty()) arguments.push_back(third);
    const Result<bool> finished = FinishRequest(PictureKind::kDiff, &arguments, &request);
    if (!finished) return tl::unexpected(finished.error());
    if (arguments.size() > 2) return Fail(fmt::format("-o {} and {} both name the output", request.output, third));
    named_after_input = *finished;
    return {};
  }
};

// Loads one side: transformed, with one event. If the input is not a profile, prints that and returns nullopt.
Result<std::optional<Profile>> LoadSide(const std::string& path, const DiffVerbOptions& options) {
  Result<LoadedProfile> loaded =
      LoadProfile({path}, options.request, {.threads = options.request.transform.NeedsThreads()});
  if (!loaded) return tl::unexpected(loaded.error());
  if (loaded->is_unread) {
    Complain(loaded->why_empty);
    return std::nullopt;
  }
  if (!loaded->why_empty.empty() && loaded->application.profile.events.empty()) {
    // An empty profile is valid: all frames are then new or gone.
    ProfileBuilder nothing({.name = path});
    nothing.AddEvent(options.request.selection.event, "count");
    return nothing.Take();
  }
  if (const Result<void> shown = Show(options.request.PlainTransform(), /*one_event=*/true, &*loaded); !shown)
    return tl::unexpected(shown.error());
  return std::move(loaded->application.profile);
}

// Fails if the sides count different things. Shares of different units can be compared.
Result<void> CheckComparable(const Profile& before, const Profile& after, const DiffVerbOptions& options) {
  if (before.samples.empty() || after.samples.empty()) return {};
  const ProfileEvent &a = before.events[0], &b = after.events[0];
  const bool same_unit = a.unit == b.unit || options.request.normalize;
  if (same_unit && (options.request.event_was_given || HaveSameName(a, b))) return {};
  return Fail(fmt::format(
      "cannot compare {} ({}) of {} with {} ({}) of {}; {}", a.name, a.unit, options.before, b.name, b.unit,
      options.after, same_unit ? "select an event that both have with --event" : "compare shares with --normalize"));
}

// Whether a frame increased more than allowed; prints it to standard error.
bool GainedTooMuch(const ProfileDiff& diff, const DiffVerbOptions& options) {
  if (!diff.counts_samples && options.request.min_confidence > 0) {
    Complain(
        fmt::format("{} and {}: no counts of samples, so the confidence of changes is unknown, and "
                    "--min-confidence ignores them all; if their numbers are samples, use --input-unit samples",
                    options.before, options.after));
  }
  const FrameChange* worst = nullptr;
  for (const FrameChange& change : diff.changes) {
    if (change.confidence * 100 < options.request.min_confidence) continue;
    if (worst == nullptr || change.change > worst->change) worst = &change;
  }
  if (worst == nullptr || worst->change * 100 <= options.request.fail_above) return false;
  const std::string confidence = diff.counts_samples ? fmt::format("{:.1f}%", worst->confidence * 100) : "unknown";
  Complain(fmt::format("{} increased by {:.2f}% of the total, more than {:g}% (confidence {})", worst->label,
                       worst->change * 100, options.request.fail_above, confidence),
           kExitNo);
  return true;
}

Result<void> WriteDiff(Profile together, const ProfileDiff& diff, const DiffVerbOptions& options) {
  const std::string unit = together.events[1].unit;
  const PictureRequest& request = options.request;
  const bool says_format = !request.format.empty() || ProfileWriterForPath(request.output) != nullptr;
  const std::string_view format = says_format ? request.Writer().name : "text";
  if (format != "text" && format != "json") {
    ProfileWriteOptions write = DiffWriteOptions(request);
    if (write.svg.subtitle.empty()) {
      write.svg.subtitle =
          fmt::format("{} compared with {}: red increased, blue decreased", options.after, options.before);
    }
    Result<void> written = WriteProfile(ForeignApplication(std::move(together)), request, write);
    if (written && options.named_after_input) Complain(fmt::format("wrote {}", request.output));
    return written;
  }
  Result<OutputFile> file = CreateOutput(request.output, nullptr);
  if (!file) return tl::unexpected(file.error());
  if (format == "json") {
    WriteDiffJson(diff, unit, request.normalize, &*file);
  } else {
    WriteDiffText(diff, unit, static_cast<size_t>(request.top), TerminalWidth(request.output), &*file);
  }
  if (Result<void> committed = file->Commit(); !committed) return committed;
  if (options.named_after_input) Complain(fmt::format("wrote {}", request.output));
  return {};
}

int RunDiff(DiffVerbOptions options, const CLI::App& command) {
  if (const Result<void> finished = options.Finish(); !finished) {
    return Misuse(command, finished.error().message);
  }
  const Result<std::optional<Profile>> before = LoadSide(options.before, options);
  if (!before) return Complain(before.error().message);
  const Result<std::optional<Profile>> after = LoadSide(options.after, options);
  if (!after) return Complain(after.error().message);
  if (!*before || !*after) return kExitNo;
  if (const Result<void> good = CheckComparable(**before, **after, options); !good)
    return Complain(good.error().message);
  Profile together = PutTogether(**before, 0, **after, 0, options.request.normalize);
  const ProfileDiff diff = Compare(together, options.request.normalize);
  const Result<void> written = WriteDiff(std::move(together), diff, options);
  if (!written) return Complain(written.error().message);
  return options.request.fail_above >= 0 && GainedTooMuch(diff, options) ? kExitNo : kExitSuccess;
}

}  // namespace

std::function<int()> DefineDiff(CLI::App& command) {
  const auto options = std::make_shared<DiffVerbOptions>();
  command.add_option("BEFORE", options->before, "The baseline: a profile of any format, or a recording")->required();
  command.add_option("AFTER", options->after, "The profile to compare with the baseline")->required();
  command.add_option("OUTPUT", options->third, "Same as -o");
  AddOptions(command, options->request.Options(PictureKind::kDiff));
  AddShareTo(command);
  AcceptUrls(command, {&options->before, &options->after});
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
