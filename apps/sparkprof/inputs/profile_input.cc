// SPDX-License-Identifier: Apache-2.0
#include "inputs/profile_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "analysis/selection/foreign_application.h"
#include "analysis/selection/threads.h"
#include "base/io/file.h"
#include "capture/recording_options.h"
#include "formats/profile_formats.h"
#include "inputs/content_kind.h"
#include "model/samples/profile_builder.h"
#include "output/progress.h"
#include "profiles/merge_profiles.h"
#include "verb.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

// Reads one profile of another tool and returns its format; none, with the reason in `why_empty`, if the content is not
// a profile.
Result<std::string_view> ReadForeign(const ProfileFile& file, const PictureRequest& request, ProfileBuilder* builder,
                                     std::string* why_empty) {
  const std::string& forced_format = request.input_format;
  const std::string& name = builder->options().name;
  auto source = file.Open();
  if (!source) return tl::unexpected(source.error());
  std::optional<Error> damage;
  std::string head = ReadUpTo(source->get(), kFormatHeadSize, &damage);
  const ProfileFormat* format = forced_format.empty() ? RecognizeProfileFormat(head) : FindProfileFormat(forced_format);
  if (format == nullptr) {
    if (head.empty() && damage) return tl::unexpected(*damage);
    if (head.empty()) {
      *why_empty = fmt::format("{}: offset 0: empty input, expected a profile", name);
    } else if (const std::string_view unread = NameOfUnreadFormat(head); !unread.empty()) {
      *why_empty = fmt::format("{}: offset 0: expected a profile, found {}", name, unread);
    } else {
      if (!file.entry) *why_empty = DescribeEventLog(file.path);
      if (why_empty->empty()) {
        *why_empty = fmt::format(
            "{}: offset 0: expected a profile, found {}; `sparkprof convert --formats` lists the supported formats, "
            "--input-format selects one",
            name, DescribeUnread(head));
      }
    }
    return std::string_view();
  }
  if (Result<void> fits = request.CheckFormat(format->name, name); !fits) return tl::unexpected(fits.error());
  const auto read_within = [&](const auto& read) -> Result<std::string_view> {
    if (Result<void> done = ReadLocalProfile(name, read); !done) return tl::unexpected(done.error());
    return format->name;
  };
  std::error_code error;
  if (format->read_file != nullptr && !damage && fs::is_regular_file(file.path, error)) {
    const Result<MappedFile> mapped = MappedFile::Open(file.path);
    // A file without these bytes is compressed.
    if (mapped && mapped->Bytes().starts_with(head)) {
      return read_within([&] { return format->read_file(*mapped, builder); });
    }
  }
  return read_within(
      [&] { return format->read(HeadedSource(std::move(head), std::move(damage), std::move(*source)), builder); });
}

LoadedProfile Unread(std::string why) {
  LoadedProfile none;
  none.why_empty = std::move(why);
  none.is_unread = true;
  return none;
}

// The longest application in the recordings, with all of its samples.
Result<LoadedProfile> ReadRecordingsAsProfile(const std::vector<std::string>& inputs, const PictureRequest& request,
                                              const ProfileNeeds& needs) {
  if (request.by_input) return Fail(fmt::format("{}: --by-input: recordings are always merged", inputs.front()));
  if (Result<void> fits = request.CheckFormat(kRecordingFormat, inputs.front()); !fits)
    return tl::unexpected(fits.error());
  Result<LoadedRecording> recording = LoadSilently({inputs, request.application});
  if (!recording && AreOtherContent(inputs)) return Unread(recording.error().message);
  if (!recording) return tl::unexpected(recording.error());
  if (Result<void> known = request.CheckEvent(recording->Longest()); !known) {
    return tl::unexpected(known.error());
  }
  const RecordingStatus& status = recording->recording.status;
  if (status.damaged_blocks > 0 || status.skipped_bytes > 0) {
    if (!request.lenient) return Fail(status.first_error);
    Complain(fmt::format("skipped {} bytes with {} damaged blocks, the first: {}", status.skipped_bytes,
                         status.damaged_blocks, status.first_error));
  }
  // One of several files, whose process was killed before its first block.
  if (status.damaged_blocks == 0 && status.skipped_bytes == 0 && !status.first_error.empty()) {
    Complain(fmt::format("skipped a file: {}", status.first_error));
  }
  // Killed processes leave such files; their complete part is shown.
  if (status.cut_bytes > 0) {
    Complain(fmt::format("{}: truncated: skipped {} bytes of the last block", recording->name, status.cut_bytes));
  }
  LoadedProfile loaded;
  loaded.input = recording->name;
  loaded.note = recording->OthersNote();
  if (!loaded.note.empty()) Complain(fmt::format("showing {}. {}", recording->Longest().id, loaded.note));
  if (needs.answers) {
    loaded.answers = Answer(recording->Longest());
    AddAccountSums(recording->Longest(), &*loaded.answers);
  }
  recording->ShowLanguage(request.ShownLanguage(), !request.selection.pyspark_frames && !needs.answers);
  loaded.application = recording->TakeLongest();
  loaded.application.profile.name = loaded.application.name;
  return loaded;
}

// Assigns samples to the tasks of the recording in --tasks-of. A profile may cover a time when the application was not
// running.
Result<void> AddTasksOf(const std::string& path, const std::string& inputs, std::vector<Profile>* profiles) {
  const Result<LoadedRecording> recording = LoadSilently({{path}, ""});
  if (!recording) return tl::unexpected(recording.error());
  const Application& application = recording->Longest();
  AssignedSamples all;
  for (Profile& profile : *profiles) {
    const AssignedSamples assigned = AssignTasks(application, &profile);
    all.of_processes += assigned.of_processes;
    all.of_tasks += assigned.of_tasks;
  }
  if (all.of_processes == 0) {
    return Fail(
        fmt::format("{}: --tasks-of: no sample is of a process of {}; the samples need process and thread IDs of the "
                    "host, and times",
                    inputs, application.id));
  }
  Complain(fmt::format("{} of {} samples in processes of {} belong to tasks", all.of_tasks, all.of_processes,
                       application.id));
  return {};
}

// Prints the inputs that are not part of the sum.
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

void NameEvents(const Profile& profile) {
  if (profile.events.size() < 2) return;
  std::string names;
  for (EventId event = 0; event < profile.EventCount(); ++event) {
    names += fmt::format("{}{}{}", names.empty() ? "" : ", ", profile.events[event].name,
                         event == profile.default_event ? " (the default)" : "");
  }
  Complain(fmt::format("{}: {} events: {}; --event selects one", profile.name, profile.events.size(), names));
}

// Merges the inputs into one profile with the data that the command and the selection need.
Result<LoadedProfile> ReadForeignProfiles(const ProfileFiles& inputs, const PictureRequest& request,
                                          const ProfileNeeds& needs, const Selection& selection) {
  ProfileReadOptions read{.lenient = request.lenient};
  read.keep_states = needs.answers || selection.state != ThreadState::kUnknown;
  read.keep_threads = needs.threads || !selection.thread.empty();
  read.keep_tasks = needs.answers || !selection.tasks.empty() || selection.stage.has_value();
  // Finer than any option, but coarser than keeping every sample separate.
  constexpr int64_t kCutPrecision = 1'000'000;
  const bool cuts_time = selection.from_ns || selection.to_ns;
  read.bucket_ns = cuts_time && !needs.keep_order ? kCutPrecision : needs.bucket_ns;
  read.keep_order = needs.keep_order;
  if (!request.tasks_of.empty()) {
    read.keep_threads = read.keep_tasks = true;
    read.bucket_ns = read.bucket_ns == 0 ? kCutPrecision : std::min(read.bucket_ns, kCutPrecision);
  }
  if (request.leaks) read.unfreed_tail = request.tail;
  if (request.latency_ms) read.min_span_ns = std::llround(std::min(*request.latency_ms * 1e6, 9e18));
  read.unit = request.input_unit;
  read.addresses = request.addresses;
  read.source_lines = request.source_lines;
  const std::vector<ProfileFile>& files = inputs.files;
  const std::string all_files =
      files.front().path + (files.size() == 1 ? "" : fmt::format(" and {} others", files.size() - 1));
  const Progress progress("reading " + all_files, BytesOfPaths(inputs.paths));
  std::vector<Profile> profiles;
  std::vector<std::string> unread;
  bool any_damaged = false;
  for (const ProfileFile& input : files) {
    read.name = input.path == "-" ? "standard input" : input.path;
    ProfileBuilder builder(read);
    std::string why_empty;
    const Result<std::string_view> format = ReadForeign(input, request, &builder, &why_empty);
    // A file in a folder or an archive was not named by the user.
    if (!format || !why_empty.empty()) {
      if (!format && !input.entry) return tl::unexpected(format.error());
      if (!input.entry) return Unread(std::move(why_empty));
      any_damaged |= !format;
      unread.push_back(format ? std::move(why_empty) : format.error().message);
      continue;
    }
    profiles.push_back(builder.Take());
    for (const std::string& note : profiles.back().notes) Complain(note);
    if (*format == "perf" && !request.event_was_given) NameEvents(profiles.back());
  }
  if (profiles.empty()) {
    if (any_damaged) return Fail(unread.front());
    return Unread(std::move(unread.front()));
  }
  if (!unread.empty()) {
    Complain(fmt::format("skipped {} of {} profiles that cannot be read, the first: {}", unread.size(), files.size(),
                         unread.front()));
  }
  if (!request.tasks_of.empty()) {
    const Result<void> added = AddTasksOf(request.tasks_of, all_files, &profiles);
    if (!added) return tl::unexpected(added.error());
  }
  Profile profile;
  if (profiles.size() == 1 && !request.by_input) {
    profile = std::move(profiles.front());
  } else {
    Result<MergedProfile> merged = MergeProfiles(
        std::move(profiles),
        {.event = selection.event, .leave_out = inputs.of_one_group, .by_input = request.by_input, .read = read});
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

}  // namespace

Result<ForeignProfile> LoadForeignProfile(const ProfileFile& file, const std::string& format, ProfileReadOptions read) {
  read.name = file.path == "-" ? "standard input" : file.path;
  const Progress progress(fmt::format("reading {}", file.path), BytesOfPaths({file.path}));
  PictureRequest request;
  request.input_format = format;
  ProfileBuilder builder(read);
  std::string why_empty;
  const Result<std::string_view> found = ReadForeign(file, request, &builder, &why_empty);
  if (!found) return tl::unexpected(found.error());
  ForeignProfile foreign{std::string(*found), builder.Take(), std::move(why_empty)};
  foreign.profile.name = read.name;
  return foreign;
}

Result<LoadedProfile> LoadProfile(const std::vector<std::string>& paths, const PictureRequest& request,
                                  const ProfileNeeds& needs) {
  const Result<ProfileFiles> inputs = FindProfiles(paths, request.input_format);
  if (!inputs) return tl::unexpected(inputs.error());
  if (!inputs->why_empty.empty()) return Unread(inputs->why_empty);
  Result<Selection> selection = request.ParseSelection();
  if (!selection) return tl::unexpected(selection.error());
  const auto recordings = static_cast<size_t>(std::count_if(
      inputs->files.begin(), inputs->files.end(), [](const ProfileFile& input) { return input.is_recording; }));
  if (recordings > 0 && recordings < inputs->files.size()) {
    return Fail(fmt::format("{}: cannot combine recordings with other formats", inputs->files.front().path));
  }
  if (recordings > 0 && !request.tasks_of.empty()) {
    return Fail(fmt::format("{}: --tasks-of: a recording has its own tasks", inputs->files.front().path));
  }
  if (recordings == 0) {
    if (const Result<void> good = request.selection.CheckUnits(); !good) return tl::unexpected(good.error());
  }
  // Without --event, the default of other tools' profiles is their own default event; that of a recording is cpu.
  if (recordings == 0 && !request.event_was_given) selection->event.clear();
  Result<LoadedProfile> loaded = recordings > 0 ? ReadRecordingsAsProfile(paths, request, needs)
                                                : ReadForeignProfiles(*inputs, request, needs, *selection);
  if (!loaded || loaded->is_unread) return loaded;
  if (Result<void> selected = Select(request, needs, std::move(*selection), &*loaded); !selected) {
    return tl::unexpected(selected.error());
  }
  return loaded;
}

}  // namespace sparkprof
