// SPDX-License-Identifier: Apache-2.0
#include "command_tree.h"

#include <algorithm>
#include <string_view>

#include "base/text/text.h"
#include "formats/profile_formats.h"
#include "render/writers/profile_writers.h"
#include "verbs.h"

namespace sparkprof {
namespace {

// CLI11 appends the allowed values to an option's type: "FORMAT:{html,svg}".
void SetType(const CLI::Option& option, OptionText* text) {
  const std::string type = option.get_type_name();
  const size_t colon = type.find(':');
  text->type = type.substr(0, colon);
  const size_t open = type.find('{');
  if (open == std::string::npos || !type.ends_with('}')) return;
  for (const std::string_view choice : Split(std::string_view(type).substr(open + 1, type.size() - open - 2), ',')) {
    text->choices.emplace_back(choice);
  }
}

OptionText DescribeOption(const CLI::Option& option) {
  OptionText text;
  text.short_names = option.get_snames();
  text.long_names = option.get_lnames();
  text.group = option.get_group();
  text.is_hidden = text.group.empty();
  text.purpose = option.get_description();
  text.is_required = option.get_required();
  text.is_repeated = option.get_items_expected_max() > 1;
  if (option.get_items_expected_max() > 0 || option.get_positional()) SetType(option, &text);
  if (!text.IsFlag()) text.standard = option.get_default_str();
  if (option.get_positional()) text.type = option.get_name(/*positional=*/true);
  return text;
}

// Joins lines of a paragraph; indented lines and those after "Examples:" are examples.
void ReadFooter(std::string_view footer, CommandText* text) {
  bool in_examples = false;
  for (const std::string_view line : Split(footer, '\n')) {
    if (line == "Examples:" || line == "Example:") {
      in_examples = true;
    } else if (in_examples && !Trim(line).empty()) {
      text->examples.emplace_back(Trim(line));
    } else if (!Trim(line).empty()) {
      if (text->notes.empty()) text->notes.emplace_back();
      std::string& note = text->notes.back();
      note += (note.empty() ? "" : " ") + std::string(line);
    } else if (!text->notes.empty() && !text->notes.back().empty()) {
      text->notes.emplace_back();
    }
  }
  if (!text->notes.empty() && text->notes.back().empty()) text->notes.pop_back();
}

}  // namespace

bool OptionText::NamesFile() const {
  constexpr std::string_view kFiles[] = {"FILE",  "PATH",     "INPUT", "RECORDING", "BEFORE",
                                         "AFTER", "LOCATION", "RUN",   "OUTPUT",    "COMMAND"};
  return std::find(std::begin(kFiles), std::end(kFiles), type) != std::end(kFiles);
}

bool OptionText::NamesFolder() const { return type == "DIR"; }

bool OptionText::IsList() const { return type == "EVENT"; }

std::vector<std::string> OptionText::Values() const {
  if (!choices.empty()) return choices;
  std::vector<std::string> values;
  const std::string_view name = long_names.empty() ? std::string_view() : long_names.front();
  if (type == "EVENT") {
    for (const Event event : kAllEvents) values.emplace_back(EventName(event));
  } else if (name == "input-format") {
    for (const ProfileFormat& format : ProfileFormats()) values.emplace_back(format.name);
  } else if (name == "format") {
    for (const ProfileWriter& writer : ProfileWriters()) values.emplace_back(writer.name);
  }
  return values;
}

CommandText DescribeCommand(const CLI::App& command) {
  CommandText text;
  text.name = command.get_name();
  text.purpose = command.get_description();
  for (const CLI::Option* option : command.get_options()) {
    OptionText one = DescribeOption(*option);
    if (one.is_hidden) continue;
    (option->get_positional() ? text.arguments : text.options).push_back(std::move(one));
  }
  ReadFooter(command.get_footer(), &text);
  return text;
}

std::vector<CommandText> DescribeCommands() {
  CLI::App app;
  std::function<int()> chosen;
  std::vector<CommandText> commands;
  for (const Verb& verb : Verbs()) {
    commands.push_back(DescribeCommand(*AddVerb(verb, &app, &chosen)));
    commands.back().group = verb.group;
  }
  return commands;
}

}  // namespace sparkprof
