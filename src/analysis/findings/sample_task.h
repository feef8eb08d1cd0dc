// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/application.h"

namespace sparkprof {

// Whether a sample is of the task in a row of Application::tasks. For one task of many, it needs no index of all.
inline bool IsOfTask(const Application& application, const Sample& sample, uint32_t row) {
  return application.profile.tasks[sample.task].task == application.tasks.id[row];
}

}  // namespace sparkprof
