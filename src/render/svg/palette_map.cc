// SPDX-License-Identifier: Apache-2.0
#include "render/svg/palette_map.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/byte_source.h"
#include "base/output_file.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr std::string_view kArrow = "->";
constexpr size_t kMaxPaletteMapSize = size_t{64} << 20;

}  // namespace

Result<void> PaletteMap::Read(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return {};
  const Result<std::string> text = ReadAll(path, kMaxPaletteMapSize);
  if (!text) return tl::unexpected(text.error());
  size_t number = 0;
  for (const std::string_view line : Split(*text, '\n')) {
    ++number;
    if (line.empty()) continue;
    const size_t arrow = line.rfind(kArrow);
    if (arrow == std::string_view::npos) {
      return Fail(fmt::format("{}: line {}: expected name->rgb(r,g,b), found '{}'", path, number, line.substr(0, 60)));
    }
    colors_[std::string(line.substr(0, arrow))] = line.substr(arrow + kArrow.size());
  }
  return {};
}

Result<void> PaletteMap::Write(const std::string& path) const {
  Result<OutputFile> file = OutputFile::Create(path);
  if (!file) return tl::unexpected(file.error());
  for (const auto& [name, color] : colors_) {
    file->Append(name);
    file->Append(kArrow);
    file->Append(color);
    file->Append('\n');
  }
  return file->Commit();
}

const std::string& PaletteMap::ColorOf(std::string_view name, const std::function<std::string()>& make) {
  const auto known = colors_.find(name);
  return known != colors_.end() ? known->second : colors_.emplace(name, make()).first->second;
}

}  // namespace sparkprof
