// SPDX-License-Identifier: Apache-2.0
#include "output/help_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "actions.h"
#include "command_tree.h"
#include "output/terminal_style.h"
#include "render/writers/display_width.h"
#include "verbs.h"

namespace sparkprof {
namespace {

constexpr size_t kWidthOfFiles = 100;
constexpr size_t kWidest = 120;  // longer lines are hard to read

// Left column and text beside it.
using Rows = std::vector<std::pair<std::string, std::string>>;

class HelpText {
 public:
  HelpText() : width_(std::min(OutputWidth(kWidthOfFiles), kWidest)), has_colors_(HasColors()) {}

  void Paragraph(std::string_view text) { text_ += WrapText(text, width_, 0, 0) + "\n"; }

  void Heading(std::string_view title) {
    text_ += has_colors_ ? fmt::format("\033[1m{}:\033[0m\n", title) : fmt::format("{}:\n", title);
  }

  // All texts start at one column; after a longer name, the text starts on the next line.
  void Table(const Rows& rows, size_t most_columns) {
    size_t column = 0;
    for (const auto& [name, purpose] : rows) column = std::max(column, DisplayWidth(name));
    column = std::min({column, most_columns, width_ / 3}) + 4;
    for (const auto& [name, purpose] : rows) {
      const bool fits = DisplayWidth(name) + 4 <= column;
      text_ += "  " + name;
      text_ += fits ? std::string(column - 2 - DisplayWidth(name), ' ') : "\n" + std::string(column, ' ');
      text_ += WrapText(purpose, width_, column, column);
    }
    text_ += '\n';
  }

  void Lines(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) text_ += fmt::format("  {}\n", line);
  }

  std::string Take() { return std::move(text_); }

 private:
  size_t width_;
  bool has_colors_;
  std::string text_;
};

// Returns "-o, --output FILE"; the manual page contains further names.
std::string NamesOf(const OptionText& option) {
  std::string names = option.short_names.empty() ? "    " : "-" + option.short_names.front();
  if (!option.long_names.empty()) {
    names += fmt::format("{}--{}", option.short_names.empty() ? "" : ", ", option.long_names.front());
  }
  return option.IsFlag() ? names : fmt::format("{} {}", names, option.type);
}

std::string PurposeOf(const OptionText& option) {
  std::string purpose = option.purpose;
  const bool lists_choices = std::all_of(option.choices.begin(), option.choices.end(), [&](const std::string& choice) {
    return purpose.find(choice) != std::string::npos;
  });
  if (!lists_choices) {
    purpose += ": ";
    for (const std::string& choice : option.choices) purpose += (&choice == option.choices.data() ? "" : ", ") + choice;
  }
  if (!option.standard.empty()) purpose += fmt::format(" (default: {})", option.standard);
  return purpose;
}

std::string UsageOf(const CommandText& command) {
  std::string usage = fmt::format("Usage: sparkprof {} [OPTIONS]", command.name);
  for (const OptionText& argument : command.arguments) {
    const std::string name = argument.type + (argument.is_repeated ? "…" : "");
    usage += argument.is_required ? " " + name : fmt::format(" [{}]", name);
  }
  return usage;
}

std::string HelpOfCommand(const CommandText& command) {
  HelpText help;
  help.Paragraph(command.purpose + ".");
  help.Paragraph(UsageOf(command));
  Rows arguments;
  for (const OptionText& argument : command.arguments) arguments.emplace_back(argument.type, PurposeOf(argument));
  if (!arguments.empty()) help.Table(arguments, 12);
  std::vector<std::pair<std::string, Rows>> groups;
  for (const OptionText& option : command.options) {
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const auto& known) { return known.first == option.group; });
    if (group == groups.end()) group = groups.insert(groups.end(), {option.group, {}});
    group->second.emplace_back(NamesOf(option), PurposeOf(option));
  }
  for (const auto& [title, rows] : groups) {
    help.Heading(title);
    help.Table(rows, 26);
  }
  for (const std::string& note : command.notes) help.Paragraph(note);
  if (!command.examples.empty()) {
    help.Heading(command.examples.size() == 1 ? "Example" : "Examples");
    help.Lines(command.examples);
  }
  return help.Take();
}

std::string HelpOfAll(const CommandText& app) {
  HelpText help;
  help.Paragraph(app.purpose);
  help.Paragraph("Usage: sparkprof COMMAND [OPTIONS]");
  size_t longest = 0;
  for (const Verb& verb : Verbs()) longest = std::max(longest, IsListed(verb) ? verb.name.size() : 0);
  std::string_view group;
  Rows rows;
  const auto end_group = [&] {
    if (rows.empty()) return;
    help.Heading(group);
    help.Table(std::exchange(rows, {}), longest);
  };
  for (const Verb& verb : Verbs()) {
    if (!IsListed(verb)) continue;
    if (verb.group != group) end_group();
    group = verb.group;
    rows.emplace_back(fmt::format("{:{}}", verb.name, longest), verb.purpose);
  }
  end_group();
  for (const std::string& note : app.notes) help.Paragraph(note);
  return help.Take();
}

}  // namespace

std::string HelpFormat::make_help(const CLI::App* command, std::string, CLI::AppFormatMode) const {
  const CommandText text = DescribeCommand(*command);
  if (command->get_parent() == nullptr) return HelpOfAll(text);
  return HelpOfCommand(DescribeAction(*command, text).value_or(text));
}

}  // namespace sparkprof
