// SPDX-License-Identifier: Apache-2.0
#include "output/print_problems.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "verb.h"

namespace sparkprof {
namespace {

void PrintList(std::string_view heading, const std::vector<std::string>& texts) {
  for (size_t i = 0; i < std::min(texts.size(), kMaxListed); ++i) Complain(fmt::format("{}{}", heading, texts[i]));
  if (texts.size() > kMaxListed) Complain(fmt::format("{}… and {} more", heading, texts.size() - kMaxListed));
}

}  // namespace

void PrintProblems(const InputProblems& problems) {
  PrintList("", problems.partly);
  PrintList("not read: ", problems.unrecognized);
  PrintList("", problems.notes);
}

bool AreReadable(const std::vector<std::string>& paths) {
  return std::all_of(paths.begin(), paths.end(), [](const std::string& path) {
    std::error_code error;
    return path == "-" || (access(path.c_str(), R_OK) == 0 && !std::filesystem::is_fifo(path, error));
  });
}

int ComplainNothingUsable(const std::vector<std::string>& paths, const InputProblems& problems) {
  PrintProblems(problems);
  return Complain(
      fmt::format("{}: no application; expected event logs, recordings, or logs of a job", fmt::join(paths, ", ")),
      AreReadable(paths) ? kExitNo : kExitUsage);
}

}  // namespace sparkprof
