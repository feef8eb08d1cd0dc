// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/text/typing_errors.h"
#include "verbs.h"

namespace sparkprof {
namespace {

std::vector<std::string> LongNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // hidden in the help
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  return names;
}

// Options with few typing errors, else longer options with this prefix: --sub for --subtitle.
std::vector<std::string> NearOptions(const CLI::App& command, const std::string& name) {
  const std::vector<std::string> names = LongNames(command);
  NearestName nearest(name);
  for (const std::string& known : names) nearest.Add(known);
  if (!nearest.Get().empty()) return {std::string(nearest.Get())};
  constexpr size_t kMaxNames = 5;
  std::vector<std::string> longer;
  for (const std::string& known : names) {
    if (known.starts_with(name) && longer.size() < kMaxNames) longer.push_back(known);
  }
  return longer;
}

}  // namespace

std::string DescribeUnknownArgument(const CLI::App& command, const std::string& argument) {
  if (argument.size() < 2 || argument[0] != '-') return fmt::format("unexpected argument '{}'", argument);
  const std::string option = argument.substr(0, argument.find('='));
  const std::string name = option.substr(option.find_first_not_of('-'));
  const std::vector<std::string> near = NearOptions(command, name);
  if (near.empty()) return fmt::format("unknown option {}", option);
  return fmt::format("unknown option {}; did you mean --{}?", option, fmt::join(near, ", --"));
}

}  // namespace sparkprof
