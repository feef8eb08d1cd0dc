// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "analysis/answers.h"
#include "base/result.h"
#include "model/application.h"
#include "pictures/picture_request.h"

namespace sparkprof {

struct LoadedProfile {
  std::string input;        // for messages
  Application application;  // with the samples that were selected
  // The profile whose stacks the samples refer to; null = the application's own.
  std::shared_ptr<const Profile> tables;
  EventId event = 0;  // row of the requested event
  Selection selection;
  std::optional<Answers> answers;  // with ProfileNeeds::answers, of recordings
  std::string note;                // names other applications of the recording; empty if there are none
  std::string why_empty;           // one sentence, when nothing was selected
  bool is_unread = false;          // the input is no profile, as `why_empty` explains
};

// Leaves only the selected samples of a profile that was loaded for the request. `selection`: that of the request, with
// an empty event for the profile's default.
Result<void> Select(const PictureRequest& request, const ProfileNeeds& needs, Selection selection,
                    LoadedProfile* loaded);

// The same for an application that others use, which is not changed: `application` after ChooseLanguage, `answers` of
// the application before it, or null without ProfileNeeds::answers. The copy has Spark's tables only with answers,
// and the tables of stacks are those of `application`, which must outlive it.
Result<LoadedProfile> SelectProfile(const Application& application, const Answers* answers,
                                    const PictureRequest& request, const ProfileNeeds& needs);

// The same for a foreign profile in memory.
Result<LoadedProfile> SelectProfile(Profile profile, const PictureRequest& request);

}  // namespace sparkprof
