// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analysis/time/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

// True if the task (a row) has far more records or bytes than the median task of its stage.
bool HasFarMoreData(const Application& application, const StageSummary& stage, uint32_t task);

}  // namespace sparkprof
