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
  std::string input;        // name for messages
  Application application;  // with the selected samples only
  // The profile with the samples' stacks; null = the application's own.
  std::shared_ptr<const Profile> tables;
  EventId event = 0;  // row of the requested event
  Selection selection;
  std::optional<Answers> answers;  // set with ProfileNeeds::answers, for recordings
  std::string note;                // lists other applications of the recording; empty = none
  std::string why_empty;           // one sentence if nothing was selected
  bool is_unread = false;          // the input is not a profile; `why_empty` has the reason
};

// Keeps only the selected samples of a profile that was loaded for the request. `selection`: the request's, with an
// empty event for the profile's default.
Result<void> Select(const PictureRequest& request, const ProfileNeeds& needs, Selection selection,
                    LoadedProfile* loaded);

// SelectProfile for a shared application, which is not changed. `application`: after ChooseLanguage. `answers`: of the
// application before it; null without ProfileNeeds::answers. The copy has Spark's tables only with answers. Its stack
// tables are those of `application`, which must outlive it.
Result<LoadedProfile> SelectProfile(const Application& application, const Answers* answers,
                                    const PictureRequest& request, const ProfileNeeds& needs);

// SelectProfile for a profile of another tool in memory.
Result<LoadedProfile> SelectProfile(Profile profile, const PictureRequest& request);

}  // namespace sparkprof
