// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/flame_tree.h"

namespace sparkprof {

struct FlameSvgOptions {
  std::string title;
  std::string subtitle;  // what was selected
  Event event = Event::kCpu;
};

// A flame graph that stands alone: one SVG file with its own script (hover, click to zoom, search with Ctrl-F) that
// needs no network; without scripts it is a picture with a tooltip for each frame. The root is at the top. Frames
// narrower than a third of a pixel are left out and counted in the subtitle.
std::string RenderFlameSvg(const Application& application, const FlameTree& tree, const FlameSvgOptions& options);

}  // namespace sparkprof
