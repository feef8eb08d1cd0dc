// SPDX-License-Identifier: Apache-2.0
#include "output_name.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace sparkprof {
namespace {

constexpr std::string_view kForeignEndings[] = {".png", ".jpg", ".jpeg",  ".gif", ".webp",
                                                ".pdf", ".jfr", ".sprof", ".data"};

bool IsPipeOrDevice(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return std::filesystem::is_other(status);
}

}  // namespace

Result<void> CheckEnding(std::string_view option, const std::string& path,
                         std::initializer_list<OutputEnding> endings) {
  if (path == "-" || IsPipeOrDevice(path)) return {};
  std::string known;
  for (const OutputEnding& ending : endings) {
    if (path.ends_with(ending.ending)) return {};
    known += fmt::format("{}{} ({})", known.empty() ? "" : " or ", ending.ending, ending.content);
  }
  return Fail(fmt::format("{} {}: unsupported file name; it must end in {}", option, path, known));
}

Result<void> RefuseForeignEnding(const std::string& path) {
  for (const std::string_view ending : kForeignEndings) {
    if (!path.ends_with(ending) || path.size() == ending.size()) continue;
    return Fail(
        fmt::format("{}: cannot write {}; use a name that ends in .svg, .html, .collapsed, …, or select a format with "
                    "--format",
                    path, ending.substr(1)));
  }
  return {};
}

}  // namespace sparkprof
