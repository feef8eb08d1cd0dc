// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "analysis/frame_origin.h"

namespace sparkprof {

// "#rrggbb" for a frame: hue by whose code it is, the user's strongest; lightness by its package. Black text on it has
// a contrast of at least 4.5:1.
std::string FrameColor(std::string_view name, FrameKind kind, FrameOrigin origin);

}  // namespace sparkprof
