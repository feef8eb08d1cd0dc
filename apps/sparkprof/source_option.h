// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/result.h"
#include "loader/source_files.h"
#include "model/application.h"

namespace sparkprof {

// --source: the folder with the source code of a job, for its report.
void AddSourceTo(CLI::App& command, std::string* folder);

// The source files of the application's frames below `folder`, without secrets; none for an empty folder.
Result<SourceFiles> SourcesOf(const Application& application, const std::string& folder);

}  // namespace sparkprof
