// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "base/text/text.h"
#include "output/profile_output.h"
#include "profiles/frame_weights.h"

namespace sparkprof {

namespace fs = std::filesystem;

std::string FileForTerminal() {
  if (isatty(STDOUT_FILENO) != 1) return {};
  std::error_code error;
  std::string name = "flame.svg";
  for (int number = 2; fs::exists(name, error); ++number) name = fmt::format("flame-{}.svg", number);
  return name;
}

std::string WrittenText(const std::string& path, const Profile& profile, EventId event) {
  constexpr size_t kTop = 10;
  std::vector<uint32_t> rows;
  int64_t total = 0;
  for (uint32_t row = 0; row < profile.samples.size(); ++row) {
    if (profile.samples[row].event != event) continue;
    rows.push_back(row);
    total += profile.samples[row].weight;
  }
  const Functions functions(profile);
  std::string text =
      fmt::format("Wrote {}; open it in a browser. Name another output with -o; -o - prints the stacks.\n", path);
  text += fmt::format("Functions with the most {} of their own:\n", profile.events[event].Label());
  for (const FunctionWeight& weight : TopFunctions(WeighFunctions(profile, functions, rows), kTop)) {
    const double share = total <= 0 ? 0 : static_cast<double>(weight.self) / static_cast<double>(total);
    text += fmt::format("  {:>6}  {}\n", FormatShare(share),
                        ToOneLine(FrameLabel(profile.strings, functions.Get(weight.function))));
  }
  return text;
}

}  // namespace sparkprof
