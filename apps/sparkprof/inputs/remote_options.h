// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "loader/remote_inputs.h"

namespace sparkprof {

// Allows addresses of applications on a collector as inputs of a command: adds --token-file and --ca-file. Before the
// command runs, FetchRemoteInputs replaces the addresses in `inputs` by paths of recordings.
void AcceptUrls(CLI::App& command, std::vector<std::string*> inputs);
void AcceptUrls(CLI::App& command, std::vector<std::string>* inputs);

// Fetches the addresses. The returned object keeps the files until the command is done; null if there are none.
Result<std::shared_ptr<void>> FetchRemoteInputs();

// Token and certificates from the chosen command's options, for its own requests.
Result<RemoteAccess> AccessOfOptions();

// The address that a path was fetched from; empty for other paths.
std::string UrlOf(const std::string& path);

// Replaces paths of fetched files in a message by their addresses.
std::string WithUrls(std::string message);

}  // namespace sparkprof
