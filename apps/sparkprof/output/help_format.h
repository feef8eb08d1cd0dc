// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace sparkprof {

// Help of sparkprof and its commands: options under headings, wrapped to the terminal, with examples at the end.
class HelpFormat : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace sparkprof
