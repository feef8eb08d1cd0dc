// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/application.h"

namespace sparkprof {

// Converts a profile of another tool to an application without Spark data: tasks and stages are those named by its
// samples, and its time is that of the samples.
Application ForeignApplication(Profile profile);

}  // namespace sparkprof
