// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/answers.h"
#include "base/result.h"
#include "model/application.h"

namespace sparkprof {

// Writes the spans of an application to a file, or sends them to a URL. They belong to the trace of the variable
// TRACEPARENT, or else of the job's settings. `page`: address of the application's page; may be empty.
Result<void> WriteTraces(const Application& application, const Answers& answers, const std::string& page,
                         const std::string& output);

}  // namespace sparkprof
