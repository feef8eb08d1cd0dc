// SPDX-License-Identifier: Apache-2.0
#include "render/svg/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace sparkprof {
namespace {

struct NamedPalette {
  std::string_view name;
  Palette palette;
};

constexpr NamedPalette kPaletteNames[] = {
    {"hot", Palette::kHot},       {"mem", Palette::kMem},       {"io", Palette::kIo},
    {"wakeup", Palette::kWakeup}, {"chain", Palette::kChain},   {"java", Palette::kJava},
    {"js", Palette::kJs},         {"perl", Palette::kPerl},     {"red", Palette::kRed},
    {"green", Palette::kGreen},   {"blue", Palette::kBlue},     {"aqua", Palette::kAqua},
    {"yellow", Palette::kYellow}, {"purple", Palette::kPurple}, {"orange", Palette::kOrange},
    {"origin", Palette::kOrigin},
};

// Range of a color channel, and which hash of the name selects the value.
struct Channel {
  int least = 0;
  int range = 0;
  bool second = false;  // use the hash of the reversed name
};

struct Shade {
  Channel red, green, blue;
};

Shade ShadeOf(Palette palette) {
  switch (palette) {
    case Palette::kHot:
      return {{205, 50, true}, {0, 230}, {0, 55, true}};
    case Palette::kMem:
      return {{0, 0}, {190, 50, true}, {0, 210}};
    case Palette::kIo:
      return {{80, 60}, {80, 60}, {190, 55, true}};
    case Palette::kRed:
      return {{200, 55}, {50, 80}, {50, 80}};
    case Palette::kGreen:
      return {{50, 60}, {200, 55}, {50, 60}};
    case Palette::kBlue:
      return {{80, 60}, {80, 60}, {205, 50}};
    case Palette::kYellow:
      return {{175, 55}, {175, 55}, {50, 20}};
    case Palette::kPurple:
      return {{190, 65}, {80, 60}, {190, 65}};
    case Palette::kAqua:
      return {{50, 60}, {165, 55}, {165, 55}};
    case Palette::kOrange:
      return {{190, 65}, {90, 65}, {0, 0}};
    default:
      return {};
  }
}

bool Has(std::string_view name, std::string_view part) { return name.find(part) != std::string_view::npos; }

bool IsJavaPath(std::string_view name) {
  if (name.starts_with('L')) name.remove_prefix(1);
  const std::string_view first = name.substr(0, name.find('/'));
  if (first.size() == name.size()) return false;
  for (const std::string_view package : {"java", "javax", "jdk", "net", "org", "com", "io", "sun"}) {
    if (first == package) return true;
  }
  return false;
}

Palette JavaShade(std::string_view name) {
  if (name.ends_with("_[j]")) return Palette::kGreen;
  if (name.ends_with("_[i]")) return Palette::kAqua;
  if (IsJavaPath(name) || (name.starts_with('L') && IsJavaPath(name.substr(1)))) return Palette::kGreen;
  if (Has(name, ":::")) return Palette::kGreen;
  if (Has(name, "::")) return Palette::kYellow;
  return name.ends_with("_[k]") ? Palette::kOrange : Palette::kRed;
}

Palette PerlShade(std::string_view name) {
  if (Has(name, "::")) return Palette::kYellow;
  if (Has(name, "Perl") || Has(name, ".pl")) return Palette::kGreen;
  return name.ends_with("_[k]") ? Palette::kOrange : Palette::kRed;
}

Palette JsShade(std::string_view name) {
  if (name.ends_with("_[j]")) return Has(name, "/") ? Palette::kGreen : Palette::kAqua;
  if (Has(name, "::")) return Palette::kYellow;
  const size_t slash = name.find('/');
  if (slash != std::string_view::npos && Has(name.substr(slash), ".js")) return Palette::kGreen;
  if (Has(name, ":")) return Palette::kAqua;
  if (name == " ") return Palette::kGreen;
  return Has(name, "_[k]") ? Palette::kOrange : Palette::kRed;
}

// Returns 0 … 1; early characters have more weight. Skips the first character of a module name ("libc`read").
double HashOfBeginning(std::string_view name) {
  const size_t module_end = name.find('`', 1);
  if (module_end != std::string_view::npos) name.remove_prefix(module_end + 1);
  double sum = 0, largest = 1, weight = 1;
  int modulus = 10;
  for (const char c : name) {
    const int digit = static_cast<unsigned char>(c) % modulus;
    sum += static_cast<double>(digit) / (modulus++ - 1) * weight;
    largest += weight;
    weight *= 0.70;
    if (modulus > 12) break;
  }
  return 1 - sum / largest;
}

// Perl's rand(1) after srand(sum of the characters): one step of drand48.
double HashOfSum(std::string_view name) {
  const auto sum = std::accumulate(name.begin(), name.end(), uint32_t{0},
                                   [](uint32_t so_far, char c) { return so_far + static_cast<unsigned char>(c); });
  constexpr uint64_t kMask = (uint64_t{1} << 48) - 1;
  const uint64_t seed = uint64_t{sum} << 16 | 0x330E;
  const uint64_t next = (seed * 0x5DEECE66D + 0xB) & kMask;
  return std::ldexp(static_cast<double>(next), -48);
}

// Backgrounds of flamegraph.pl.
const Background kYellow{"#eeeeee", "#eeeeb0"}, kBlue{"#eeeeee", "#e0e0ff"}, kGreen{"#eef2ee", "#e0ffe0"},
    kGrey{"#f8f8f8", "#e8e8e8"};

}  // namespace

std::optional<Palette> ParsePalette(std::string_view name) {
  for (const NamedPalette& named : kPaletteNames) {
    if (named.name == name) return named.palette;
  }
  return std::nullopt;
}

std::string_view PaletteNames() {
  static const std::string names = [] {
    std::string all;
    for (const NamedPalette& named : kPaletteNames) all += fmt::format("{}{}", all.empty() ? "" : ", ", named.name);
    return all;
  }();
  return names;
}

std::string PaletteColor(Palette palette, ColorBy color_by, std::string_view name, bool is_waker) {
  // flamegraph.pl marks wakers by a suffix of their names.
  if (palette == Palette::kChain && is_waker) return PaletteColor(palette, color_by, std::string(name) + "_[w]", false);
  double first = HashOfSum(name), second = first;
  if (color_by == ColorBy::kHash) {
    first = HashOfBeginning(name);
    second = HashOfBeginning(std::string(name.rbegin(), name.rend()));
  } else if (color_by == ColorBy::kRandom) {
    static std::mt19937 source{std::random_device{}()};
    first = std::uniform_real_distribution()(source);
    second = std::uniform_real_distribution()(source);
  }
  if (palette == Palette::kJava) palette = JavaShade(name);
  if (palette == Palette::kPerl) palette = PerlShade(name);
  if (palette == Palette::kJs) palette = JsShade(name);
  if (palette == Palette::kWakeup) palette = Palette::kAqua;
  if (palette == Palette::kChain) palette = Has(name, "_[w]") ? Palette::kAqua : Palette::kBlue;
  const Shade shade = ShadeOf(palette);
  const auto value = [&](const Channel& channel) {
    return channel.least + static_cast<int>(channel.range * (channel.second ? second : first));
  };
  return fmt::format("rgb({},{},{})", value(shade.red), value(shade.green), value(shade.blue));
}

std::string ChangeColor(int64_t change, int64_t largest) {
  if (change == 0) return "rgb(255,255,255)";
  const double size = std::abs(static_cast<double>(change)), most = static_cast<double>(std::max<int64_t>(largest, 1));
  const int rest = std::max(0, static_cast<int>(210 * (most - size) / most));
  return change > 0 ? fmt::format("rgb(255,{0},{0})", rest) : fmt::format("rgb({0},{0},255)", rest);
}

Background BackgroundOf(Palette palette) {
  switch (palette) {
    case Palette::kMem:
      return kGreen;
    case Palette::kIo:
    case Palette::kWakeup:
    case Palette::kChain:
      return kBlue;
    case Palette::kRed:
    case Palette::kGreen:
    case Palette::kBlue:
    case Palette::kAqua:
    case Palette::kYellow:
    case Palette::kPurple:
    case Palette::kOrange:
      return kGrey;
    default:
      return kYellow;
  }
}

std::optional<Background> ParseBackground(std::string_view name) {
  if (name == "yellow") return kYellow;
  if (name == "blue") return kBlue;
  if (name == "green") return kGreen;
  if (name == "grey") return kGrey;
  const bool is_color =
      name.size() == 7 && name[0] == '#' && name.find_first_not_of("0123456789abcdefABCDEF", 1) == name.npos;
  return is_color ? std::optional(Background{std::string(name), std::string(name)}) : std::nullopt;
}

}  // namespace sparkprof
