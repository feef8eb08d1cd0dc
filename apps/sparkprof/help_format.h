// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace sparkprof {

// The help of commands without what CLI11 adds for developers: the type TEXT of arguments that have a name, and the
// lists of options that exclude or need each other. A wrong combination has a message of its own.
class HelpFormat : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override;
};

}  // namespace sparkprof
