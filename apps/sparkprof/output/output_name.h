// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

struct OutputKind {
  std::string_view name;      // "html", as in -o html
  std::string_view suffixes;  // file name suffixes, separated by spaces; .gz may follow, which compresses
};

const std::vector<OutputKind>& ProfileOutputs();

// The kind selected by the file name's suffix; null if there is none.
const OutputKind* OutputForPath(std::span<const OutputKind> kinds, std::string_view path);

// Whether the path is not a regular file name: a pipe, /dev/stdout, …
bool IsPipeOrDevice(const std::string& path);

// Fails unless the name selects an output kind. Standard output ("" and "-"), pipes and devices have no suffix to
// check. `option` precedes the name in the message.
Result<void> CheckOutputName(std::span<const OutputKind> kinds, std::string_view option, const std::string& path);

struct OutputArguments {
  std::vector<std::string>* inputs;  // may include the output as the last one
  std::string* output;               // -o
  std::string* format;               // --format
  size_t least_inputs = 1;
  bool last_is_output = false;  // whether an argument beyond `least_inputs` is the output, as with cp
};

// Decides what the output is, by one rule for all verbs:
// - `-o html`, a format's name while no file has it, is `--format html`; the file has the first input's name with the
//   format's ending and lies in the current folder, as jfrconv does it.
// - Without -o FILE, the last argument is the output if its name is a picture's (.html, .svg) and does not exist
//   yet or is a picture of sparkprof. Other formats need -o: a misspelled input must not become an output.
// - The output's name must show a format unless --format does.
// Returns whether the file was named after the input.
Result<bool> ResolveOutput(std::span<const OutputKind> kinds, const OutputArguments& arguments);

// ResolveOutput for commands that only write a page.
Result<bool> TakePage(std::vector<std::string>* inputs, std::string* output);

}  // namespace sparkprof
