// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "analysis/stitch.h"
#include "http/message.h"
#include "model/profile.h"
#include "server/application_cache.h"

namespace sparkprof {

enum class PictureStatus : uint8_t {
  kDrawn,
  kEmpty,   // no samples match the options
  kMisuse,  // the options are wrong
};

struct Picture {
  PictureStatus status = PictureStatus::kDrawn;
  std::string problem;  // a sentence, unless drawn
  std::string content_type;
  std::string content;
};

// Draws flame graphs by the options of the command line, which are the parameters of a request: "stage=3&format=svg" is
// `--stage 3 --format svg`. Options that name files are not available. Implemented by the command line, so that options
// have one definition. Thread-safe.
class Pictures {
 public:
  virtual ~Pictures() = default;
  // As `sparkprof flame` of a recording.
  virtual Picture Flame(CachedAttempt* attempt, const HttpParameters& parameters) const = 0;
  // As `sparkprof flame` of a foreign profile.
  virtual Picture Flame(Profile profile, const HttpParameters& parameters) const = 0;
  // As `sparkprof diff`; both have one event.
  virtual Picture Diff(Profile before, Profile after, const HttpParameters& parameters) const = 0;
};

}  // namespace sparkprof
