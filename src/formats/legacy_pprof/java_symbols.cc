// SPDX-License-Identifier: Apache-2.0
#include "formats/legacy_pprof/java_symbols.h"

#include <charconv>
#include <optional>

#include "base/lines.h"
#include "base/text.h"

namespace sparkprof {
namespace {

// "f (Source.java:3)"; a library's name without its folder.
Frame FrameOfJava(std::string_view text, StringTable* strings) {
  const size_t open = text.rfind(" (");
  if (!text.ends_with(')') || open == std::string_view::npos) {
    const bool is_stub = text.find("generated stub/JIT") != std::string_view::npos;
    return {.name = strings->Intern(is_stub ? "STUB" : text)};
  }
  Frame frame{.name = strings->Intern(Trim(text.substr(0, open)))};
  std::string_view place = text.substr(open + 2, text.size() - open - 3);
  const size_t colon = place.rfind(':');
  const bool has_line = colon != std::string_view::npos && ParseInteger(place.substr(colon + 1));
  if (has_line) {
    const std::optional<int64_t> line = ParseInteger(place.substr(colon + 1));
    if (*line > 0 && *line <= UINT32_MAX) frame.line = static_cast<uint32_t>(*line);
    place = place.substr(0, colon);
  } else {
    place = place.substr(place.rfind('/') + 1);
  }
  frame.file = strings->Intern(place);
  return frame;
}

}  // namespace

void ReadJavaSymbols(std::string_view lines, LegacyProfile* profile) {
  while (!lines.empty()) {
    std::string_view line = Trim(TakeLine(&lines));
    if (!line.starts_with("0x")) continue;
    uint64_t address = 0;
    const auto [end, error] = std::from_chars(line.data() + 2, line.data() + line.size(), address, 16);
    const std::string_view name = Trim(line.substr(static_cast<size_t>(end - line.data())));
    if (error != std::errc() || name.empty() || profile->HasSymbol(address)) continue;
    Profile& tables = profile->builder()->profile();
    profile->AddSymbol(address, tables.frames.Intern(FrameOfJava(name, &tables.strings)));
  }
}

}  // namespace sparkprof
