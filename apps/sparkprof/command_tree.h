// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sparkprof {

// An option or an argument of a command, as help, completion and manual pages show it.
struct OptionText {
  std::vector<std::string> short_names;  // "o", without dash; both empty for an argument
  std::vector<std::string> long_names;   // "output"
  std::string type;                      // "FILE"; empty for a flag; the name of an argument
  std::string group;                     // heading
  std::string purpose;
  std::string standard;              // default value; empty = none
  std::vector<std::string> choices;  // allowed values; empty = any
  bool is_required = false;
  bool is_repeated = false;
  bool is_hidden = false;

  bool IsFlag() const { return type.empty(); }
  // Whether the value is a name of a file or a folder.
  bool NamesFile() const;
  bool NamesFolder() const;
  // Whether several values can be given, separated by commas.
  bool IsList() const;
  // Values for completion: the choices, or known ones of an option that accepts others, too.
  std::vector<std::string> Values() const;
};

// A command with its options, from their definitions.
struct CommandText {
  std::string name;
  std::string group;  // empty = not in the help
  std::string purpose;
  std::vector<OptionText> arguments;
  std::vector<OptionText> options;  // without those that are not in the help
  std::vector<std::string> notes;   // paragraphs
  std::vector<std::string> examples;
};

// The definition of `command`: its footer has paragraphs, then "Examples:" and indented lines.
CommandText DescribeCommand(const CLI::App& command);

// All commands of sparkprof.
std::vector<CommandText> DescribeCommands();

}  // namespace sparkprof
