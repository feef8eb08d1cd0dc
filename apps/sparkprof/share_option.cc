// SPDX-License-Identifier: Apache-2.0
#include "share_option.h"

#include "base/private_file.h"

namespace sparkprof {

void AddShareTo(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--share", [](const std::string& word) { SetSharing(ParseSharing(word).value_or(Sharing::kPrivate)); },
          "Who may read the files written; private (only you), group or all (default: private)")
      ->check(CLI::IsMember({"private", "group", "all"}))
      ->type_name("WHO");
}

}  // namespace sparkprof
