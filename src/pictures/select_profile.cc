// SPDX-License-Identifier: Apache-2.0
#include "pictures/select_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/owners/native_memory.h"
#include "analysis/python/held_lines.h"
#include "analysis/selection/foreign_application.h"
#include "analysis/selection/time_range.h"

namespace sparkprof {
namespace {

// The selected samples, without tables.
Profile Selected(const Profile& profile, const ProfileNeeds& needs, const std::vector<uint32_t>& rows) {
  return needs.OnlyStacks() ? SumByStack(profile, rows) : PickSamples(profile, rows);
}

// Sets the event, and the reason if there are no samples.
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

bool IsPythonHeld(const Selection& selection) { return selection.event == EventName(Event::kPythonLive); }

// Selects what the selected tasks, threads, … held when they together held most.
Result<void> SelectPythonHeld(const Selection& selection, Application* application) {
  std::vector<uint32_t> rows;
  for (const Event event : {Event::kPythonAlloc, Event::kPythonFree}) {
    if (application->profile.Row(event) == kNoEvent) continue;
    Selection changes = selection;
    changes.event = EventName(event);
    changes.from_ns = changes.to_ns = std::nullopt;
    const Result<std::vector<uint32_t>> selected = SelectSamples(*application, changes);
    if (!selected) return tl::unexpected(selected.error());
    rows.insert(rows.end(), selected->begin(), selected->end());
  }
  const int64_t start_ns = RangeOf(*application).start_ns;
  HeldRange range;
  if (selection.from_ns) range.from_ns = start_ns + *selection.from_ns;
  if (selection.to_ns) range.to_ns = start_ns + *selection.to_ns;
  SetPythonHeld(rows, range, &application->profile);
  return {};
}

}  // namespace

Result<void> Select(const PictureRequest& request, const ProfileNeeds& needs, Selection selection,
                    LoadedProfile* loaded) {
  Application& application = loaded->application;
  application.profile.ShowCountsAs(selection.event);
  request.selection.AnchorTimes(RangeOf(application), &selection);
  if (request.leaks && !application.is_foreign) {
    if (!RecordsNativeReleases(application)) {
      return Fail(
          fmt::format("{}: --leaks: releases of native memory were not recorded; run with --event nativemem and "
                      "spark.sparkprof.nativemem.live=true",
                      loaded->input));
    }
    const int64_t start_ns = RangeOf(application).start_ns;
    const auto at = [&](std::optional<int64_t> since_start_ns) {
      return since_start_ns ? std::optional<int64_t>(start_ns + *since_start_ns) : std::nullopt;
    };
    KeepUnreleased(at(selection.from_ns), at(selection.to_ns), &application.profile);
  }
  if (IsPythonHeld(selection) && !application.is_foreign) {
    if (Result<void> held = SelectPythonHeld(selection, &application); !held) return held;
  }
  const Result<std::vector<uint32_t>> rows = SelectSamples(application, selection);
  if (!rows) return tl::unexpected(rows.error());
  // Readers of other formats have already merged unneeded data. An application with answers refers to the tables.
  if (application.is_foreign || needs.answers) {
    KeepSamples(*rows, &application.profile);
  } else {
    loaded->tables = std::make_shared<const Profile>(std::move(application.profile));
    application.profile = Selected(*loaded->tables, needs, *rows);
  }
  loaded->selection = std::move(selection);
  ExplainIfEmpty(application, loaded);
  return {};
}

Result<LoadedProfile> SelectProfile(const Application& application, const Answers* answers,
                                    const PictureRequest& request, const ProfileNeeds& needs) {
  if (Result<void> known = request.CheckEvent(application); !known) return tl::unexpected(known.error());
  if (Result<void> fits = request.CheckFormat(kRecordingFormat, application.id); !fits) {
    return tl::unexpected(fits.error());
  }
  Result<Selection> selection = request.ParseSelection();
  if (!selection) return tl::unexpected(selection.error());
  if (application.is_foreign && !request.event_was_given) selection->event.clear();
  LoadedProfile loaded;
  loaded.input = application.id;
  if (IsPythonHeld(*selection) && !application.is_foreign) {
    loaded.application = application;
    if (needs.answers) loaded.answers = *answers;
    if (Result<void> selected = Select(request, needs, std::move(*selection), &loaded); !selected) {
      return tl::unexpected(selected.error());
    }
    loaded.application.profile.name = application.name;
    return loaded;
  }
  request.selection.AnchorTimes(RangeOf(application), &*selection);
  const Result<std::vector<uint32_t>> rows = SelectSamples(application, *selection);
  if (!rows) return tl::unexpected(rows.error());
  if (needs.answers) {
    loaded.application = application;
    KeepSamples(*rows, &loaded.application.profile);
    loaded.answers = *answers;
  } else {
    loaded.application.id = application.id;
    loaded.application.name = application.name;
    loaded.application.start_ns = application.start_ns;
    loaded.application.end_ns = application.end_ns;
    loaded.application.profile = Selected(application.profile, needs, *rows);
    loaded.tables = {std::shared_ptr<const void>(), &application.profile};  // not owned
  }
  loaded.application.profile.name = application.name;
  loaded.selection = std::move(*selection);
  ExplainIfEmpty(application, &loaded);
  return loaded;
}

Result<LoadedProfile> SelectProfile(Profile profile, const PictureRequest& request) {
  Result<Selection> selection = request.ParseSelection();
  if (!selection) return tl::unexpected(selection.error());
  if (!request.event_was_given) selection->event.clear();
  LoadedProfile loaded;
  loaded.input = profile.name;
  loaded.application = ForeignApplication(std::move(profile));
  if (Result<void> selected = Select(request, {}, std::move(*selection), &loaded); !selected) {
    return tl::unexpected(selected.error());
  }
  return loaded;
}

}  // namespace sparkprof
