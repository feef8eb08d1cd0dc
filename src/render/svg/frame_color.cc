// SPDX-License-Identifier: Apache-2.0
#include "render/svg/frame_color.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/hash_bytes.h"

namespace sparkprof {
namespace {

struct Hue {
  double degrees;
  double saturation;  // 0 … 1
};

Hue HueOf(FrameKind kind, FrameOrigin origin) {
  if (kind == FrameKind::kSynthetic || kind == FrameKind::kUnknown) return {0, 0};
  if (kind == FrameKind::kKernel) return {320, 0.35};
  if (kind == FrameKind::kPython) return origin == FrameOrigin::kUser ? Hue{50, 1} : Hue{50, 0.45};
  switch (origin) {
    case FrameOrigin::kUser:
      return {22, 0.95};
    case FrameOrigin::kSpark:
      return {210, 0.55};
    case FrameOrigin::kJdk:
      return {110, 0.35};
    case FrameOrigin::kPythonRuntime:
      return {50, 0.45};
    case FrameOrigin::kVm:
      return {0, 0.4};
    case FrameOrigin::kLibrary:
      return kind == FrameKind::kNative ? Hue{35, 0.3} : Hue{165, 0.35};
  }
  return {0, 0};
}

}  // namespace

std::string FrameColor(std::string_view name, FrameKind kind, FrameOrigin origin) {
  const std::string_view package = name.substr(0, name.rfind('.'));
  const Hue hue = HueOf(kind, origin);
  const double lightness = 0.64 + 0.14 * static_cast<double>(HashBytes(package) % 100) / 99;
  const double chroma = hue.saturation * std::min(lightness, 1 - lightness);
  // CSS Color Module Level 4, conversion of HSL to RGB.
  const auto channel = [&](double n) {
    const double k = std::fmod(n + hue.degrees / 30, 12);
    const double value = lightness - chroma * std::max(-1.0, std::min({k - 3, 9 - k, 1.0}));
    return static_cast<int>(std::lround(value * 255));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(8), channel(4));
}

}  // namespace sparkprof
