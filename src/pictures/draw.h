// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "analysis/answers.h"
#include "base/io/output_file.h"
#include "base/result.h"
#include "model/application.h"
#include "pictures/picture_request.h"
#include "pictures/select_profile.h"

namespace sparkprof {

// Transforms the profile; with `one_event`, drops all other events.
Result<void> Show(ProfileTransform transform, bool one_event, LoadedProfile* loaded);

// Transforms the selected samples of a flame graph and returns its write options. Sets `loaded->why_empty` if no stack
// is left.
Result<ProfileWriteOptions> PrepareFlame(const PictureRequest& request, LoadedProfile* loaded);

// Write options of a differential flame graph, for a profile from PutTogether.
ProfileWriteOptions DiffWriteOptions(const PictureRequest& request);

Result<void> Write(const Application& application, const PictureRequest& request,
                   const ProfileWriteOptions& write_options, OutputFile* output);

enum class PictureStatus : uint8_t {
  kDrawn,
  kEmpty,   // no samples match the options
  kMisuse,  // invalid options
  kTooLarge,
};

struct Picture {
  PictureStatus status = PictureStatus::kDrawn;
  std::string problem;  // a sentence; empty if drawn
  std::string content_type;
  std::string content;
};

// Memory limit for selecting, transforming and writing a picture.
inline constexpr size_t kPictureMemory = size_t{256} << 20;

// Like `sparkprof flame` for a recording, with application and answers as for SelectProfile.
Picture DrawFlame(const Application& application, const Answers* answers, const PictureRequest& request);
// Like `sparkprof flame` for a profile of another tool.
Picture DrawFlame(Profile profile, const PictureRequest& request);
// Gzip-compressed data of DrawFlame's page with format=html (docs/report-data.md).
Picture DrawPageData(Profile profile);
// Like `sparkprof diff`. Each profile has one event.
Picture DrawDiff(const Profile& before, const Profile& after, const PictureRequest& request);

}  // namespace sparkprof
