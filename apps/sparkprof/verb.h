// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace sparkprof {

// Exit codes of every command except `run`, which returns the job's.
inline constexpr int kExitSuccess = 0;
inline constexpr int kExitNo = 1;     // negative result: nothing selected, or something does not work here
inline constexpr int kExitUsage = 2;  // usage error, or unreadable input

// Adds a command's options to `command` and returns the function that runs it and returns the exit code. One per
// command, listed in verbs.cc.
using DefineVerb = std::function<int()>(CLI::App& command);

DefineVerb DefineRun;
DefineVerb DefineAnalyze;
DefineVerb DefineReport;
DefineVerb DefineFindings;
DefineVerb DefineShow;
DefineVerb DefineFlame;
DefineVerb DefineDiff;
DefineVerb DefineCompare;
DefineVerb DefineTune;
DefineVerb DefineTop;
DefineVerb DefineMcp;
DefineVerb DefineConvert;
DefineVerb DefineServe;
DefineVerb DefinePush;
DefineVerb DefineCollector;
DefineVerb DefineProve;
DefineVerb DefineSuite;
DefineVerb DefineFleet;
DefineVerb DefineMonitor;
DefineVerb DefineAttach;
DefineVerb DefineInfo;
DefineVerb DefineOpen;
DefineVerb DefineDoctor;
DefineVerb DefineLogs;
DefineVerb DefineCompletion;
DefineVerb DefineManual;

// Adds an option by its usage: "--prices FILE", "-o,--output FILE".
template <typename Value>
CLI::Option* AddOption(CLI::App& command, std::string_view usage, Value* value, std::string purpose) {
  const size_t space = usage.find(' ');
  return command.add_option(std::string(usage.substr(0, space)), *value, std::move(purpose))
      ->type_name(std::string(usage.substr(space + 1)));
}

// Prints "sparkprof: MESSAGE" on standard error and returns `exit_code`.
int Complain(const std::string& message, int exit_code = kExitUsage);

// Prints "sparkprof: TEXT" on standard error: the progress of a command, in one line and without secrets.
void PrintNote(const std::string& text);

// Reports a usage error and refers to the command's help.
int Misuse(const CLI::App& command, const std::string& message);

}  // namespace sparkprof
