// SPDX-License-Identifier: Apache-2.0
#include "option_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "base/text/text.h"

namespace sparkprof {
namespace {

// Formats "--include,-I".
std::string Flags(const RequestOption& option) {
  std::string flags;
  for (const std::string_view name : Split(option.names, ' ')) {
    flags += fmt::format("{}{}{}", flags.empty() ? "" : ",", name.size() == 1 ? "-" : "--", name);
  }
  return flags;
}

void Set(const RequestOption& option, const std::string& text) {
  const Result<void> set = SetOption(option, text);
  if (!set)
    throw CLI::ValidationError(fmt::format("{}{}", option.Name().size() == 1 ? "-" : "--", option.Name()),
                               set.error().message);
}

// Formats "RE2", "{merged,jvm,python}" or "NUMBER from 4 to 200".
std::string TypeOf(const RequestOption& option) {
  const bool is_text = std::holds_alternative<std::string*>(option.value);
  std::string type = !option.type_name.empty() ? option.type_name : is_text ? "TEXT" : "NUMBER";
  if (!option.choices.empty()) type += fmt::format(":{{{}}}", fmt::join(option.choices, ","));
  if (option.range && option.range->most)
    type += fmt::format(" from {:g} to {}", option.range->least, *option.range->most);
  return type;
}

CLI::Option* Add(CLI::App& command, const RequestOption& option) {
  if (bool* const* flag = std::get_if<bool*>(&option.value)) {
    return command.add_flag(Flags(option), **flag, option.help);
  }
  if (option.IsFlag()) {
    return command.add_flag_callback(
        Flags(option), [option] { Set(option, ""); }, option.help);
  }
  CLI::Option* added = nullptr;
  if (std::holds_alternative<std::vector<int64_t>*>(option.value)) {
    const auto set_all = [option](const std::vector<std::string>& texts) {
      for (const std::string& text : texts) Set(option, text);
    };
    added = command.add_option_function<std::vector<std::string>>(Flags(option), set_all, option.help);
    added->allow_extra_args(false);
  } else {
    const auto set = [option](const std::string& text) { Set(option, text); };
    added = command.add_option_function<std::string>(Flags(option), set, option.help);
  }
  added->type_name(TypeOf(option));
  if (!option.shown_default.empty()) added->default_str(option.shown_default);
  return added;
}

}  // namespace

void AddOptions(CLI::App& command, const RequestOptions& options) {
  for (const RequestOption& option : options) {
    CLI::Option* const added = Add(command, option);
    if (option.group != nullptr) added->group(option.group);
  }
}

}  // namespace sparkprof
