// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/result.h"
#include "loader/source_files.h"
#include "model/application.h"

namespace sparkprof {

// Adds --source: folder with a job's source code, for its report.
void AddSourceTo(CLI::App& command, std::string* folder);

// The redacted source files of the application's frames below `folder`; none for an empty folder.
Result<SourceFiles> SourcesOf(const Application& application, const std::string& folder);

}  // namespace sparkprof
