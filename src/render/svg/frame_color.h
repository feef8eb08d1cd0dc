// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "profiles/frame_origin.h"

namespace sparkprof {

// Returns "#rrggbb" for a frame in the page's colors: hue by origin, user code most saturated; lightness by package.
// Black text on it has a contrast of at least 4.5:1.
std::string FrameColor(std::string_view name, FrameKind kind, FrameOrigin origin);

}  // namespace sparkprof
