// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/frame_origin.h"

namespace sparkprof {

// Color rules of flamegraph.pl (Brendan Gregg's FlameGraph), so that a name has the same color in graphs of both.
enum class Palette : uint8_t {
  kHot,
  kMem,
  kIo,
  kWakeup,
  kChain,
  kJava,
  kJs,
  kPerl,
  kRed,
  kGreen,
  kBlue,
  kAqua,
  kYellow,
  kPurple,
  kOrange,
  kOrigin,  // not in flamegraph.pl: by origin, as in the report
};

std::optional<Palette> ParsePalette(std::string_view name);
std::string_view PaletteNames();  // "hot, mem, …"

// How a frame's color is chosen within the palette.
enum class ColorBy : uint8_t {
  kName,    // the same name has the same color
  kHash,    // similar names have similar colors (--hash)
  kRandom,  // random colors (--random)
};

// Returns "rgb(255,0,0)". Not for kOrigin.
std::string PaletteColor(Palette palette, ColorBy color_by, std::string_view name, bool is_waker);

// White for no change, red for an increase, blue for a decrease; `largest` is the largest change in the graph.
std::string ChangeColor(int64_t change, int64_t largest);

struct Background {
  std::string upper, lower;
};
Background BackgroundOf(Palette palette);
// flamegraph.pl's --bgcolors: yellow, blue, green, grey or #rrggbb.
std::optional<Background> ParseBackground(std::string_view name);

// Returns "#rrggbb" for a frame in the page's colors: hue by origin, user code most saturated; lightness by package.
// Black text on it has a contrast of at least 4.5:1.
std::string FrameColor(std::string_view name, FrameKind kind, FrameOrigin origin);

}  // namespace sparkprof
