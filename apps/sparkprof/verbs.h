// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>

#include "verb.h"

namespace sparkprof {

struct Verb {
  std::string_view name;
  std::string_view group;  // heading in the help; empty = hidden, for scripts
  std::string_view purpose;
  DefineVerb* define;
  bool is_in_note = false;  // whether the help mentions it below its list
};

inline bool IsListed(const Verb& verb) { return !verb.group.empty() && !verb.is_in_note; }

// All commands, grouped, in the order of the help.
std::span<const Verb> Verbs();

// Adds the command with its options to `app` and returns it. Sets `chosen` to the function to run if the command line
// selects it.
CLI::App* AddVerb(const Verb& verb, CLI::App* app, std::function<int()>* chosen);

// The message for an argument that the command does not accept, with its nearest option: "unknown option --formt; did
// you mean --format?".
std::string DescribeUnknownArgument(const CLI::App& command, const std::string& argument);

}  // namespace sparkprof
