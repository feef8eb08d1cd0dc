// SPDX-License-Identifier: Apache-2.0
#include "profile_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>

#include "analysis/foreign_application.h"
#include "analysis/merge_profiles.h"
#include "analysis/time_range.h"
#include "base/file.h"
#include "base/text.h"
#include "format_options.h"
#include "formats/profile_formats.h"
#include "formats/unread_formats.h"
#include "inputs/known_content.h"
#include "model/profile_builder.h"
#include "number_checks.h"
#include "profile_files.h"
#include "progress.h"
#include "verb.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

std::vector<std::string_view> FormatNames() {
  std::vector<std::string_view> names{kRecordingFormat};
  for (const ProfileFormat& format : ProfileFormats()) names.push_back(format.name);
  return names;
}

// Reads one foreign profile and returns its format.
Result<std::string_view> ReadForeign(const ProfileFile& file, const ProfileInputOptions& options,
                                     ProfileBuilder* builder) {
  const std::string& forced_format = options.input_format;
  const std::string& name = builder->options().name;
  auto source = file.Open();
  if (!source) return tl::unexpected(source.error());
  std::optional<Error> damage;
  std::string head = ReadUpTo(source->get(), kFormatHeadSize, &damage);
  const ProfileFormat* format = forced_format.empty() ? RecognizeProfileFormat(head) : FindProfileFormat(forced_format);
  if (format == nullptr) {
    if (head.empty() && damage) return tl::unexpected(*damage);
    if (head.empty()) return Fail(fmt::format("{}: offset 0: empty input, expected a profile", name));
    if (const std::string_view unread = NameOfUnreadFormat(head); !unread.empty()) {
      return Fail(fmt::format("{}: offset 0: expected a profile, found {}", name, unread));
    }
    return Fail(
        fmt::format("{}: offset 0: expected a profile, found {}; `sparkprof formats` lists the supported "
                    "formats, --input-format selects one",
                    name, DescribeUnread(head)));
  }
  if (Result<void> fits = options.CheckFormat(format->name, name); !fits) return tl::unexpected(fits.error());
  const auto read_within = [&](const auto& read) -> Result<std::string_view> {
    if (Result<void> done = ReadLocalProfile(name, read); !done) return tl::unexpected(done.error());
    return format->name;
  };
  std::error_code error;
  if (format->read_file != nullptr && !damage && fs::is_regular_file(file.path, error)) {
    const Result<MappedFile> mapped = MappedFile::Open(file.path);
    // Else it is compressed.
    if (mapped && mapped->Bytes().starts_with(head)) {
      return read_within([&] { return format->read_file(*mapped, builder); });
    }
  }
  return read_within(
      [&] { return format->read(HeadedSource(std::move(head), std::move(damage), std::move(*source)), builder); });
}

// Fails for an event that recordings do not have. Those of profiles of other tools have any.
Result<void> CheckRecordedEvent(const Application& application, const ProfileInputOptions& options) {
  const std::string& event = options.selection.event;
  if (application.is_foreign || ParseEvent(event)) return {};
  std::vector<std::string_view> names;
  for (const Event known : kAllEvents) names.push_back(EventName(known));
  return Fail(fmt::format("--event: {} is not one of {}", event, fmt::join(names, ", ")));
}

// The longest application of the recordings, with all of its samples.
Result<LoadedProfile> ReadRecordingsAsProfile(const std::vector<std::string>& inputs,
                                              const ProfileInputOptions& options, const ProfileNeeds& needs) {
  if (options.by_input) return Fail(fmt::format("{}: --by-input: recordings are always merged", inputs.front()));
  if (Result<void> fits = options.CheckFormat(kRecordingFormat, inputs.front()); !fits)
    return tl::unexpected(fits.error());
  Result<LoadedRecording> recording = LoadSilently({inputs, options.application});
  if (!recording) return tl::unexpected(recording.error());
  if (Result<void> known = CheckRecordedEvent(recording->Longest(), options); !known) {
    return tl::unexpected(known.error());
  }
  const RecordingStatus& status = recording->recording.status;
  if (status.damaged_blocks > 0 || status.skipped_bytes > 0) {
    if (!options.lenient) return Fail(status.first_error);
    Complain(fmt::format("skipped {} bytes with {} damaged blocks, the first: {}", status.skipped_bytes,
                         status.damaged_blocks, status.first_error));
  }
  // One of several files; its process was killed before its first block.
  if (status.damaged_blocks == 0 && status.skipped_bytes == 0 && !status.first_error.empty()) {
    Complain(fmt::format("skipped a file: {}", status.first_error));
  }
  // As processes that were killed leave it: no reason not to show what they had written.
  if (status.cut_bytes > 0) {
    Complain(fmt::format("{}: truncated: skipped {} bytes of the last block", recording->name, status.cut_bytes));
  }
  LoadedProfile loaded;
  loaded.input = recording->name;
  loaded.note = recording->OthersNote();
  if (!loaded.note.empty()) Complain(fmt::format("showing {}. {}", recording->Longest().id, loaded.note));
  if (needs.answers) loaded.answers = Answer(recording->Longest());
  recording->ShowLanguage(*ParseLanguage(options.selection.language),
                          !options.selection.pyspark_frames && !needs.answers);
  loaded.application = recording->TakeLongest();
  loaded.application.profile.name = loaded.application.name;
  return loaded;
}

// Prints which inputs are not part of the sum.
void ReportLeftOut(const MergedProfile& merged, size_t inputs) {
  const std::vector<std::string>& without = merged.without_event;
  if (without.empty()) return;
  if (without.size() == 1 && inputs == 2) {
    Complain(without.front());
    return;
  }
  const ProfileEvent& event = merged.profile.events[merged.profile.default_event];
  Complain(fmt::format(
      "added {} of {} profiles, of their event {} ({}); skipped {} without it, the first: {}; --event selects another",
      merged.inputs, inputs, event.name, event.unit, without.size(), without.front()));
}

// The inputs as one profile, with what the verb and the selection need of it.
Result<LoadedProfile> ReadForeignProfiles(const ProfileFiles& inputs, const ProfileInputOptions& options,
                                          const ProfileNeeds& needs, const Selection& selection) {
  ProfileReadOptions read{.lenient = options.lenient};
  read.keep_states = needs.answers || selection.state != ThreadState::kUnknown;
  read.keep_threads = needs.threads || !selection.thread.empty();
  read.keep_tasks = needs.answers || !selection.tasks.empty() || selection.stage.has_value();
  // Finer than any option, coarser than keeping every sample separate.
  constexpr int64_t kCutPrecision = 1'000'000;
  const bool cuts_time = selection.from_ns || selection.to_ns;
  read.bucket_ns = cuts_time && !needs.keep_order ? kCutPrecision : needs.bucket_ns;
  read.keep_order = needs.keep_order;
  if (options.leaks) read.unfreed_tail = options.tail;
  if (options.latency_ms) read.min_span_ns = std::llround(std::min(*options.latency_ms * 1e6, 9e18));
  read.addresses = options.addresses;
  read.source_lines = options.source_lines;
  const std::vector<ProfileFile>& files = inputs.files;
  const Progress progress(fmt::format("reading {}{}", files.front().path,
                                      files.size() == 1 ? "" : fmt::format(" and {} others", files.size() - 1)));
  std::vector<Profile> profiles;
  for (const ProfileFile& input : files) {
    read.name = input.path == "-" ? "standard input" : input.path;
    ProfileBuilder builder(read);
    if (const auto got = ReadForeign(input, options, &builder); !got) return tl::unexpected(got.error());
    profiles.push_back(builder.Take());
    for (const std::string& note : profiles.back().notes) Complain(note);
  }
  Profile profile;
  if (profiles.size() == 1 && !options.by_input) {
    profile = std::move(profiles.front());
  } else {
    Result<MergedProfile> merged = MergeProfiles(
        std::move(profiles),
        {.event = selection.event, .leave_out = inputs.of_one_group, .by_input = options.by_input, .read = read});
    if (!merged) return tl::unexpected(merged.error());
    ReportLeftOut(*merged, files.size());
    profile = std::move(merged->profile);
  }
  if (profile.damaged > 0) {
    Complain(fmt::format("skipped {} lines or records, the first: {}", profile.damaged, profile.first_damage));
  }
  LoadedProfile loaded;
  loaded.input = files.front().path == "-" ? "standard input" : files.front().path;
  profile.name = fmt::format("{}{}", fs::path(loaded.input).filename().string(), files.size() > 1 ? " and others" : "");
  loaded.application = ForeignApplication(std::move(profile));
  return loaded;
}

// Sets the event, and why there is nothing to show.
void ExplainIfEmpty(const Application& whole, LoadedProfile* loaded) {
  const Profile& profile = loaded->application.profile;
  const Result<EventId> event = profile.FindEvent(loaded->selection.event);
  if (event) loaded->event = *event;
  const bool has_samples =
      event && std::any_of(profile.samples.begin(), profile.samples.end(), [&](const Sample& sample) {
        return sample.event == *event && (sample.weight != 0 || sample.count != 0);
      });
  if (!has_samples) {
    loaded->why_empty = fmt::format("{}: {}", loaded->input, ExplainNoSamples(whole, loaded->selection));
  }
}

// Leaves only the selected samples.
Result<void> Select(const ProfileInputOptions& options, const ProfileNeeds& needs, Selection selection,
                    LoadedProfile* loaded) {
  Application& application = loaded->application;
  application.profile.ShowCountsAs(selection.event);
  options.selection.AnchorTimes(RangeOf(application), &selection);
  const Result<std::vector<uint32_t>> rows = SelectSamples(application, selection);
  if (!rows) return tl::unexpected(rows.error());
  // Readers of other formats have added up what is not needed.
  if (needs.OnlyStacks() && !application.is_foreign) {
    application.profile = SumByStack(application.profile, *rows);
  } else {
    KeepSamples(*rows, &application.profile);
  }
  loaded->selection = std::move(selection);
  ExplainIfEmpty(application, loaded);
  return {};
}

// The selection of the options.
Result<Selection> ParseSelection(const ProfileInputOptions& options) {
  Result<Selection> selection = options.selection.Parse();
  if (!selection) return selection;
  const Result<ThreadState> state = options.State();
  if (!state) return tl::unexpected(state.error());
  selection->state = *state;
  return selection;
}

}  // namespace

void ProfileInputOptions::AddTo(CLI::App& command, bool short_state) {
  command.add_option("--application", application, "Select the application with this ID (recordings)")->type_name("ID");
  selection.AddTo(command, /*any_event=*/true);
  // As async-profiler's converter has them; not in the help, which has --event.
  const auto add_event = [&](std::string_view flag, std::string_view event) {
    command.add_flag_callback(fmt::format("--{}", flag), [this, event] { event_flag = event; })->group("");
  };
  for (const Event event : kAllEvents) add_event(EventName(event), EventName(event));
  add_event("cpu-time", "cpu-time");
  add_event("nativemem", EventName(Event::kMalloc));
  add_event("trace", EventName(Event::kMethod));
  command
      .add_option("--input-format", input_format,
                  fmt::format("Input format, if detection fails: {}", fmt::join(FormatNames(), ", ")))
      ->type_name("FORMAT");
  command
      .add_option(short_state ? "-s,--state" : "--state", state,
                  "Select samples of runnable or sleeping threads (recordings, jfr, "
                  "thread-dump)")
      ->type_name("STATE");
  command.add_flag("--leaks,--leak", leaks, "Show native memory that was never freed (jfr with nativemem)");
  command
      .add_option("--tail", tail,
                  "With --leaks: ignore allocations in this last share of the time, 0 to 1; they may still be "
                  "freed")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str()
      ->type_name("SHARE");
  command
      .add_option("--latency", latency_ms,
                  "Select samples within spans and traced methods that took at least this long (jfr)")
      ->check(AtLeast(0))
      ->type_name("MS");
  command.add_flag("--addrs", addresses, "Show addresses of functions without a name (perf)");
  command.add_flag("--srcline", source_lines, "Show source lines of functions (perf script -F +srcline)");
  command.add_flag("--by-input", by_input, "Add a root frame per input (not for recordings)");
  command.add_flag("--lenient", lenient, "Skip unreadable input and report how much was skipped");
}

Result<void> ProfileInputOptions::Finish(const CLI::App& command) {
  if (leaks && event_flag.empty() && command.count("--event") == 0) event_flag = EventName(Event::kMalloc);
  event_was_given = command.count("--event") > 0 || !event_flag.empty();
  if (!event_flag.empty()) selection.event = event_flag;
  const auto is_format = [](const std::string& name) { return name == kRecordingFormat || FindProfileFormat(name); };
  if (is_format(selection.from)) {
    if (!input_format.empty() && input_format != selection.from) {
      return Fail(fmt::format("--from {} and --input-format {} contradict each other", selection.from, input_format));
    }
    input_format = std::move(selection.from);
    selection.from.clear();
  }
  if (!input_format.empty() && !is_format(input_format)) {
    return Fail(
        fmt::format("--input-format: unknown format {}; use one of {}", input_format, fmt::join(FormatNames(), ", ")));
  }
  if (const Result<ThreadState> good = State(); !good) return tl::unexpected(good.error());
  if (const Result<Selection> good = selection.Parse(); !good) return tl::unexpected(good.error());
  return {};
}

Result<void> ProfileInputOptions::CheckFormat(std::string_view format, const std::string& input) const {
  const bool of_some_states = State().value_or(ThreadState::kUnknown) != ThreadState::kUnknown;
  for (const auto& [given, option] :
       {std::pair(of_some_states, &kStateOption), std::pair(leaks, &kLeaksOption),
        std::pair(latency_ms.has_value(), &kLatencyOption), std::pair(addresses, &kAddressesOption),
        std::pair(source_lines, &kSourceLinesOption)}) {
    if (!given || option->Fits(format)) continue;
    return Fail(fmt::format("{}: {}: {} has no {}; supported: {}", input, option->option, format, option->data,
                            fmt::join(Split(option->formats, ' '), ", ")));
  }
  return {};
}

Result<ThreadState> ProfileInputOptions::State() const {
  bool runs = state.empty(), sleeps = state.empty();
  for (const std::string_view name : Split(state, ',')) {
    if (state.empty()) break;
    if (name != "runnable" && name != "sleeping") {
      return Fail(fmt::format("--state: unknown state {}; use runnable or sleeping", name));
    }
    (name == "runnable" ? runs : sleeps) = true;
  }
  if (runs && sleeps) return ThreadState::kUnknown;
  return runs ? ThreadState::kRunning : ThreadState::kSleeping;
}

Result<ForeignProfile> LoadForeignProfile(const std::string& path, const std::string& format, ProfileReadOptions read) {
  read.name = path == "-" ? "standard input" : path;
  const Progress progress(fmt::format("reading {}", path));
  ProfileInputOptions options;
  options.input_format = format;
  ProfileBuilder builder(read);
  const Result<std::string_view> found = ReadForeign({.path = path}, options, &builder);
  if (!found) return tl::unexpected(found.error());
  ForeignProfile foreign{std::string(*found), builder.Take()};
  foreign.profile.name = read.name;
  return foreign;
}

Result<LoadedProfile> LoadProfile(const std::vector<std::string>& paths, const ProfileInputOptions& options,
                                  const ProfileNeeds& needs) {
  const Result<ProfileFiles> inputs = FindProfiles(paths, options.input_format);
  if (!inputs) return tl::unexpected(inputs.error());
  Result<Selection> selection = ParseSelection(options);
  if (!selection) return tl::unexpected(selection.error());
  const auto recordings = static_cast<size_t>(std::count_if(
      inputs->files.begin(), inputs->files.end(), [](const ProfileFile& input) { return input.is_recording; }));
  if (recordings > 0 && recordings < inputs->files.size()) {
    return Fail(fmt::format("{}: cannot combine recordings with other formats", inputs->files.front().path));
  }
  if (recordings == 0) {
    if (const Result<void> good = options.selection.CheckUnits(); !good) return tl::unexpected(good.error());
  }
  // Without --event, a foreign profile has its own default event; that of a recording is cpu.
  if (recordings == 0 && !options.event_was_given) selection->event.clear();
  Result<LoadedProfile> loaded = recordings > 0 ? ReadRecordingsAsProfile(paths, options, needs)
                                                : ReadForeignProfiles(*inputs, options, needs, *selection);
  if (!loaded) return loaded;
  if (Result<void> selected = Select(options, needs, std::move(*selection), &*loaded); !selected) {
    return tl::unexpected(selected.error());
  }
  return loaded;
}

Result<LoadedProfile> SelectProfile(const Application& application, const Answers& answers,
                                    const ProfileInputOptions& options, const ProfileNeeds& needs) {
  if (Result<void> known = CheckRecordedEvent(application, options); !known) return tl::unexpected(known.error());
  if (Result<void> fits = options.CheckFormat(kRecordingFormat, application.id); !fits) {
    return tl::unexpected(fits.error());
  }
  Result<Selection> selection = ParseSelection(options);
  if (!selection) return tl::unexpected(selection.error());
  if (application.is_foreign && !options.event_was_given) selection->event.clear();
  options.selection.AnchorTimes(RangeOf(application), &*selection);
  const Result<std::vector<uint32_t>> rows = SelectSamples(application, *selection);
  if (!rows) return tl::unexpected(rows.error());
  LoadedProfile loaded;
  loaded.input = application.id;
  if (needs.answers) {
    loaded.application = application;
    KeepSamples(*rows, &loaded.application.profile);
    loaded.answers = answers;
  } else {
    loaded.application.id = application.id;
    loaded.application.name = application.name;
    loaded.application.start_ns = application.start_ns;
    loaded.application.end_ns = application.end_ns;
    loaded.application.profile =
        needs.OnlyStacks() ? SumByStack(application.profile, *rows) : CopyWithSamples(application.profile, *rows);
  }
  loaded.application.profile.name = application.name;
  loaded.selection = std::move(*selection);
  ExplainIfEmpty(application, &loaded);
  return loaded;
}

Result<LoadedProfile> SelectProfile(Profile profile, const ProfileInputOptions& options) {
  Result<Selection> selection = ParseSelection(options);
  if (!selection) return tl::unexpected(selection.error());
  if (!options.event_was_given) selection->event.clear();
  LoadedProfile loaded;
  loaded.input = profile.name;
  loaded.application = ForeignApplication(std::move(profile));
  if (Result<void> selected = Select(options, {}, std::move(*selection), &loaded); !selected) {
    return tl::unexpected(selected.error());
  }
  return loaded;
}

}  // namespace sparkprof
