// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "render/svg/palette.h"

namespace sparkprof {
namespace {

// OKLCH color, for uniform lightness.
struct Color {
  double lightness, chroma, hue;
};

// Colors of the page (web/src/charts/flame/colors.ts) in its light theme.
constexpr Color kUser{0.76, 0.165, 55}, kSpark{0.83, 0.075, 240}, kJdk{0.9, 0.012, 250}, kLibrary{0.86, 0.065, 165},
    kPython{0.91, 0.1, 102}, kNative{0.82, 0.03, 75}, kKernel{0.8, 0.075, 350}, kVm{0.8, 0.075, 305},
    kSynthetic{0.96, 0.005, 250};

Color ColorOf(FrameKind kind, FrameOrigin origin) {
  if (kind == FrameKind::kSynthetic) return kSynthetic;
  if (origin == FrameOrigin::kUser) return kUser;
  if (kind == FrameKind::kKernel) return kKernel;
  if (origin == FrameOrigin::kVm) return kVm;
  if (origin == FrameOrigin::kSpark) return kSpark;
  if (origin == FrameOrigin::kPythonRuntime) return kPython;
  if (kind == FrameKind::kNative) return kNative;
  return origin == FrameOrigin::kJdk ? kJdk : kLibrary;
}

// Everything before the class of a Java name or the function of a Python name.
std::string_view PackageOf(std::string_view name) {
  const std::string_view path = name.substr(0, name.find('('));
  size_t last = 0;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '.' && path[i] != '/') continue;
    last = i;
    if (i + 1 < name.size() && name[i + 1] >= 'A' && name[i + 1] <= 'Z') break;
  }
  return name.substr(0, last);
}

// FNV-1a hash.
uint32_t HashOf(std::string_view text) {
  uint32_t hash = 0x811c9dc5;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  return hash;
}

// Converts OKLCH to sRGB according to CSS Color Module Level 4, clipped to the gamut.
std::string HexOf(const Color& color) {
  const double angle = color.hue * std::numbers::pi / 180;
  const double a = color.chroma * std::cos(angle), b = color.chroma * std::sin(angle);
  const double l = std::pow(color.lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(color.lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(color.lightness - 0.0894841775 * a - 1.291485548 * b, 3);
  const auto channel = [](double linear) {
    const double value = linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
    return static_cast<int>(std::lround(std::clamp(value, 0.0, 1.0) * 255));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                     channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                     channel(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s));
}

}  // namespace

std::string FrameColor(std::string_view name, FrameKind kind, FrameOrigin origin) {
  constexpr double kStep = 0.012;
  Color color = ColorOf(kind, origin);
  color.lightness += kStep * (static_cast<int>(HashOf(PackageOf(name)) % 5) - 2);
  return HexOf(color);
}

}  // namespace sparkprof
