// SPDX-License-Identifier: Apache-2.0
#include "pictures/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/selection/foreign_application.h"
#include "base/memory_limit.h"
#include "base/saturate.h"
#include "formats/collapsed/collapsed_reader.h"
#include "profiles/profile_diff.h"
#include "render/writers/profile_html.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {
namespace {

// Two columns of a collapsed file are a comparison.
std::optional<EventId> BaseEvent(const Profile& profile) {
  if (profile.events.size() != 2 || profile.events[0].name != CollapsedReader::kBefore) return std::nullopt;
  return 0;
}

// Formats that are not listed are binary.
struct ContentType {
  std::string_view format;
  std::string_view type;
};
constexpr ContentType kContentTypes[] = {
    {"svg", "image/svg+xml"},
    {"html", "text/html; charset=utf-8"},
    {"heatmap", "text/html; charset=utf-8"},
    {"collapsed", "text/plain; charset=utf-8"},
    {"text", "text/plain; charset=utf-8"},
    {"json", "application/json"},
    {"speedscope", "application/json"},
    {"firefox", "application/json"},
};

std::string ContentTypeOf(std::string_view format) {
  const auto* const known = std::find_if(std::begin(kContentTypes), std::end(kContentTypes),
                                         [format](const ContentType& type) { return type.format == format; });
  return std::string(known == std::end(kContentTypes) ? "application/octet-stream" : known->type);
}

// A picture cannot show stacks with negative weight, for example losses in a difference of profiles.
void LeaveOutNegative(const std::string& input, EventId event, Profile* profile) {
  const std::vector<StackWeight> weights = WeighStacks(*profile, event);
  int64_t stacks = 0, total = 0;
  for (const StackWeight& stack : weights) {
    if (stack.weight >= 0) continue;
    ++stacks;
    AddSaturated(stack.weight, &total);
  }
  if (stacks == 0) return;
  std::erase_if(profile->samples,
                [&](const Sample& sample) { return sample.event == event && weights[sample.stack].weight < 0; });
  profile->notes.push_back(
      fmt::format("{}: {} stacks of negative weight are not drawn, {} in total; `sparkprof diff` draws differences",
                  input, stacks, total));
}

bool IsDrawn(std::string_view format) {
  return format == "svg" || format == "html" || format == "heatmap" || format == "text";
}

Picture Misused(const Error& error) { return {.status = PictureStatus::kMisuse, .problem = error.message}; }

Picture Draw(const PictureRequest& request, Result<LoadedProfile> loaded) {
  if (!loaded) return Misused(loaded.error());
  Picture picture{.content_type = ContentTypeOf(request.Writer().name)};
  if (loaded->why_empty.empty()) {
    const Result<ProfileWriteOptions> write = PrepareFlame(request, &*loaded);
    if (!write) return Misused(write.error());
    OutputFile memory = OutputFile::ToMemory(&picture.content);
    const Result<void> written =
        loaded->why_empty.empty() ? Write(loaded->application, request, *write, &memory) : Result<void>();
    if (!written) return Misused(written.error());
  }
  if (!loaded->why_empty.empty()) return {.status = PictureStatus::kEmpty, .problem = loaded->why_empty};
  return picture;
}

Picture CompareSides(const Profile& before, const Profile& after, const PictureRequest& request) {
  Profile together = PutTogether(before, 0, after, 0, request.normalize);
  if (together.samples.empty()) {
    return {.status = PictureStatus::kEmpty, .problem = "neither side has samples of this event"};
  }
  const std::string_view format = request.format.empty() ? "json" : request.Writer().name;
  Picture picture{.content_type = ContentTypeOf(format)};
  OutputFile memory = OutputFile::ToMemory(&picture.content);
  if (format == "json") {
    WriteDiffJson(Compare(together, request.normalize), together.events[1].unit, request.normalize, &memory);
    (void)memory.Commit();
    return picture;
  }
  const Result<void> written =
      Write(ForeignApplication(std::move(together)), request, DiffWriteOptions(request), &memory);
  return written ? picture : Misused(written.error());
}

// A picture's stack tree may be many times larger than its samples and its output.
template <typename Draw>
Picture WithinPictureMemory(const Draw& draw) {
  std::optional<Picture> picture = WithinMemory(kPictureMemory, draw);
  if (picture) return std::move(*picture);
  return {.status = PictureStatus::kTooLarge,
          .problem = fmt::format("too large: the picture needs more than {} MiB; select less, such as a stage or a "
                                 "range of time, or omit threads",
                                 kPictureMemory >> 20)};
}

}  // namespace

Result<void> Show(ProfileTransform transform, bool one_event, LoadedProfile* loaded) {
  transform.keep_strings = loaded->answers.has_value();
  Profile& profile = loaded->application.profile;
  const auto event = one_event ? std::optional<EventId>(loaded->event) : std::nullopt;
  const std::shared_ptr<const Profile> tables = std::exchange(loaded->tables, nullptr);
  Result<Profile> shown = tables == nullptr ? Transform(std::move(profile), transform, event)
                                            : Transform(*tables, profile, transform, event);
  if (!shown) return tl::unexpected(shown.error());
  profile = std::move(*shown);
  if (one_event) loaded->event = 0;
  return {};
}

Result<ProfileWriteOptions> PrepareFlame(const PictureRequest& request, LoadedProfile* loaded) {
  Application& application = loaded->application;
  ProfileWriteOptions write{.counts = request.counts};
  write.base_event = BaseEvent(application.profile);
  if (write.base_event && request.svg.flame_chart) {
    return Fail(fmt::format("{}: --flamechart requires one weight per stack, found two", loaded->input));
  }
  write.answers = loaded->answers ? &*loaded->answers : nullptr;
  write.note = loaded->note;
  write.svg = request.svg;
  const ProfileEvent& event = application.profile.events[loaded->event];
  if (write.svg.title.empty() && (!application.is_foreign || event.unit != "count")) {
    write.svg.title = fmt::format("{}: {}", application.name, application.is_foreign ? event.name : event.Label());
  }
  if (!application.is_foreign && write.svg.subtitle.empty()) write.svg.subtitle = Describe(loaded->selection);
  const bool one_event = request.event_was_given && !write.base_event;
  if (Result<void> shown = Show(request.TransformForWriter(), one_event, loaded); !shown) {
    return tl::unexpected(shown.error());
  }
  write.event = loaded->event;
  if (IsDrawn(request.Writer().name)) {
    LeaveOutNegative(loaded->input, write.event, &application.profile);
    if (write.base_event) LeaveOutNegative(loaded->input, *write.base_event, &application.profile);
  }
  if (application.profile.samples.empty()) {
    loaded->why_empty = fmt::format("{}: no stacks match the options", application.profile.name);
  }
  return write;
}

ProfileWriteOptions DiffWriteOptions(const PictureRequest& request) {
  ProfileWriteOptions write{.event = 1, .base_event = 0, .svg = request.svg};
  if (write.svg.title.empty()) write.svg.title = "Differential Flame Graph";
  return write;
}

Result<void> Write(const Application& application, const PictureRequest& request,
                   const ProfileWriteOptions& write_options, OutputFile* output) {
  if (Result<void> written = request.Writer().write(application, write_options, output); !written) return written;
  return output->Commit();
}

Picture DrawFlame(const Application& application, const Answers* answers, const PictureRequest& request) {
  return WithinPictureMemory(
      [&] { return Draw(request, SelectProfile(application, answers, request, request.Needs())); });
}

Picture DrawFlame(Profile profile, const PictureRequest& request) {
  return WithinPictureMemory([&] { return Draw(request, SelectProfile(std::move(profile), request)); });
}

Picture DrawPageData(Profile profile) {
  return WithinPictureMemory([&] {
    if (profile.samples.empty()) return Picture{.status = PictureStatus::kEmpty, .problem = "no samples"};
    LoadedProfile loaded{.application = ForeignApplication(std::move(profile))};
    if (const Result<void> shown = Show({.python_lines = true}, /*one_event=*/false, &loaded); !shown) {
      return Misused(shown.error());
    }
    return Picture{.content_type = "application/octet-stream", .content = RenderProfileData(loaded.application)};
  });
}

Picture DrawDiff(const Profile& before, const Profile& after, const PictureRequest& request) {
  return WithinPictureMemory([&] { return CompareSides(before, after, request); });
}

}  // namespace sparkprof
