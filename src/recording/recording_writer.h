// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "model/application.h"

namespace sparkprof {

// Writes an application as blocks of a recording (model/block.h), with one source per executor. Reading the blocks
// results in the same jobs, stages, tasks, executors, SQL executions, samples, series, notices and losses. Passes each
// block to `sink`.
void WriteRecording(const Application& application, const std::function<void(std::string_view block)>& sink);

}  // namespace sparkprof
