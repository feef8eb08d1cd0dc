// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/table.h"
#include "base/result.h"
#include "input_options.h"
#include "model/application.h"

namespace sparkprof {

// The applications for the tables of `sparkprof events`, from all event logs, recordings and text logs at `paths`. Text
// logs are used only if no other input has their application. Prints skipped and damaged input to standard error. None
// after a message that there is no application. Errors: a path that cannot be read.
Result<std::vector<Application>> LoadApplications(const InputOptions& options, const std::vector<std::string>& paths);

// Puts the application's id and attempt before the other columns, for tables of several applications; `attemptId` is a
// stage's.
void AddApplicationColumns(const Application& application, Table* table);

}  // namespace sparkprof
