// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/io/output_file.h"
#include "model/samples/profile.h"
#include "render/svg/palette.h"

namespace sparkprof {

// Options of flamegraph.pl with the same names and defaults.
struct SvgOptions {
  std::string title;  // empty = "Flame Graph", "Icicle Graph" if inverted, or "Flame Chart"
  std::string subtitle;
  std::string notes;
  std::string count_name;  // unit of weights; empty = "samples", or formatted time and bytes
  std::string name_type = "Function:";
  std::optional<Palette> palette;  // unset = kOrigin if frames have a kind, else kHot
  ColorBy color_by = ColorBy::kName;
  std::optional<Background> background;  // nothing = the palette's
  bool inverted = false;
  bool negate = false;  // swaps red and blue of a differential graph
  double width = 1200;  // width of the picture, pixels
  double frame_height = 16;
  double total = 0;                   // total weight, if larger than the sum of weights
  double factor = 1;                  // factor applied to displayed weights
  bool flame_chart = false;           // shows samples from left to right in order of time
  double min_width = 0.1;             // minimum frame width: pixels, or …
  bool min_width_is_percent = false;  // … percent of the total
  int64_t max_depth = 0;              // deeper frames are omitted; 0 = unlimited
  std::string highlight;              // initial search expression
};

// Writes a flame graph of `event` as a self-contained SVG file with a script (hover, zoom by click and Enter, search
// with Ctrl-F or /, reset). Without scripts it is a picture with tooltips. Frames are positioned as in flamegraph.pl.
// With `base_event`, colors show the change of self weights.
void WriteFlameSvg(const Profile& profile, EventId event, std::optional<EventId> base_event, const SvgOptions& options,
                   OutputFile* output);

}  // namespace sparkprof
