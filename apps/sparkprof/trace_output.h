// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/answers.h"
#include "base/result.h"
#include "model/application.h"

namespace sparkprof {

// Writes the spans of an application to a file, or sends them to a URL. They belong to the trace in the variable
// TRACEPARENT, else in the job's settings. `page`: URL of the application's page; may be empty.
Result<void> WriteTraces(const Application& application, const Answers& answers, const std::string& page,
                         const std::string& output);

}  // namespace sparkprof
