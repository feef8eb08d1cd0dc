// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "model/application.h"

namespace sparkprof {

// The inverse of EventReader but for the tasks: everything else that Spark's events tell of an application, as events
// that EventReader reads back to the same tables. Each is passed to `sink`, in an order in which Spark could have sent
// them. Settings have been redacted when they were read.
void WriteEvents(const Application& application, const std::function<void(std::string&&)>& sink);

}  // namespace sparkprof
