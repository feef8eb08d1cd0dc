// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sparkprof {

// An option or argument of a command, for help, completion and manual pages.
struct OptionText {
  std::vector<std::string> short_names;  // "o", without dash; no names at all for an argument
  std::vector<std::string> long_names;   // "output"
  std::string type;                      // "FILE"; empty for a flag; the name of an argument
  std::string group;                     // heading in the help
  std::string purpose;
  std::string standard;              // default value; empty = none
  std::vector<std::string> choices;  // allowed values; empty = any
  bool is_required = false;
  bool is_repeated = false;
  bool is_hidden = false;

  bool IsFlag() const { return type.empty(); }
  bool NamesFile() const;
  bool NamesFolder() const;
  // Whether the value may be a comma-separated list.
  bool IsList() const;
  // Values for completion: the choices, or known values of an option that also accepts others.
  std::vector<std::string> Values() const;
};

// A command with its options, generated from their definitions.
struct CommandText {
  std::string name;
  std::string group;  // heading in the help; empty = hidden
  std::string purpose;
  std::vector<OptionText> arguments;
  std::vector<OptionText> options;  // without hidden options
  std::vector<std::string> notes;   // paragraphs
  std::vector<std::string> examples;
};

// Describes `command`: its footer consists of paragraphs, then "Examples:" and indented lines.
CommandText DescribeCommand(const CLI::App& command);

std::vector<CommandText> DescribeCommands();

}  // namespace sparkprof
