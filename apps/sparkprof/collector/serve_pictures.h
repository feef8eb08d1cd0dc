// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/pictures.h"

namespace sparkprof {

// The server's flame graphs, with the options of `sparkprof flame` and `sparkprof diff` as parameters.
class ServePictures final : public Pictures {
 public:
  Picture Flame(CachedAttempt* attempt, const HttpParameters& parameters) const override;
  Picture Flame(Profile profile, const HttpParameters& parameters) const override;
  Picture Diff(Profile before, Profile after, const HttpParameters& parameters) const override;
};

}  // namespace sparkprof
