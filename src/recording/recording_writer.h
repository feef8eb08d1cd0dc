// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "model/application.h"

namespace sparkprof {

// An application as blocks of a recording (model/block.h), one source for each executor: read back, they give the same
// jobs, stages, tasks, executors, SQL executions, samples, series, notices and losses, whatever they were read from.
// `sink` takes each block as it is made.
void WriteRecording(const Application& application, const std::function<void(std::string_view block)>& sink);

}  // namespace sparkprof
