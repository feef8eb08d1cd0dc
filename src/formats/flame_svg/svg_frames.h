// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparkprof {

// A frame of a flame graph in SVG. Positions are in pixels or percent, or weights where the file has them.
struct SvgFrame {
  std::string name;
  double left = 0, right = 0, top = 0;
  int64_t weight = 0;
  int64_t count = 0;  // samples
};

struct SvgFrames {
  std::vector<SvgFrame> frames;
  std::string unit;         // of the weights: "samples", "ns"
  uint64_t unreadable = 0;  // titles with a rectangle but without a number
};

// The frames of `svg`, in its order.
SvgFrames FindSvgFrames(std::string_view svg);

// The value of an attribute in a tag, such as `<rect x="1" width="2"`; nullopt without it.
std::optional<std::string_view> SvgAttribute(std::string_view tag, std::string_view name);

// Text without XML's entities.
std::string UnescapeXml(std::string_view text);

}  // namespace sparkprof
