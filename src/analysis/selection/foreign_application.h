// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/application.h"

namespace sparkprof {

// A profile of another tool as an application with no Spark around it: its tasks and stages are those that its samples
// name, its time is that of its samples.
Application ForeignApplication(Profile profile);

}  // namespace sparkprof
