// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/output_file.h"
#include "model/profile.h"
#include "render/svg/palette.h"

namespace sparkprof {

// Options of flamegraph.pl, by the same names and with the same defaults.
struct SvgOptions {
  std::string title;  // empty = "Flame Graph", "Icicle Graph" when inverted, "Flame Chart"
  std::string subtitle;
  std::string notes;
  std::string count_name;  // what a weight counts; empty = "samples", or ns and bytes as people read them
  std::string name_type = "Function:";
  std::optional<Palette> palette;  // nothing = kOrigin where frames have a kind, else kHot
  ColorBy color_by = ColorBy::kName;
  std::optional<Background> background;  // nothing = the palette's
  bool inverted = false;
  bool negate = false;  // red and blue of a differential graph change places
  double width = 1200;  // of the picture
  double frame_height = 16;
  double total = 0;                   // total weight, if larger than the sum of weights
  double factor = 1;                  // what weights are multiplied with to be shown
  bool flame_chart = false;           // samples from left to right as they follow each other
  double min_width = 0.1;             // minimum width of a frame: pixels, or …
  bool min_width_is_percent = false;  // … percent of the total
  int64_t max_depth = 0;              // deeper frames are not drawn; 0 = all are
  std::string highlight;              // an expression that frames are searched for when the picture opens
};

// A flame graph of `event` as a self-contained SVG file with a script (hover, zoom by click and Enter, search with
// Ctrl-F or /, reset). Without scripts it is a picture with tooltips. Frames have the positions of flamegraph.pl. With
// `base_event`, colors show the change of self weights.
void WriteFlameSvg(const Profile& profile, EventId event, std::optional<EventId> base_event, const SvgOptions& options,
                   OutputFile* output);

}  // namespace sparkprof
