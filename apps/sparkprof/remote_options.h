// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "loader/remote_inputs.h"

namespace sparkprof {

// Inputs of a verb that may be addresses of applications on a collector: adds --token-file and --ca-file. Before the
// verb runs, FetchRemoteInputs replaces the addresses among `inputs` by paths of recordings.
void AcceptUrls(CLI::App& command, std::vector<std::string*> inputs);
void AcceptUrls(CLI::App& command, std::vector<std::string>* inputs);

// Fetches the addresses. The object keeps the files until the verb is done; null if there are none.
Result<std::shared_ptr<void>> FetchRemoteInputs();

// The token and certificates that the chosen verb's options name, for requests of its own.
Result<RemoteAccess> AccessOfOptions();

// The address that a fetched path is of; empty for other paths.
std::string UrlOf(const std::string& path);

// A message with addresses in place of the paths of fetched files.
std::string WithUrls(std::string message);

}  // namespace sparkprof
