// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "base/result.h"
#include "inject/inject_options.h"

namespace sparkprof {

// The options --inject… of `serve`.
struct InjectSettings {
  bool is_on = false;
  std::string image, server;
  std::string secret = "sparkprof-tokens";
  std::string share = "100%";

  // nullopt without --inject. `has_tls`: the server has a certificate.
  Result<std::optional<InjectOptions>> Finish(bool has_tls) const;
};

void AddInjectTo(CLI::App& command, InjectSettings* settings);

}  // namespace sparkprof
