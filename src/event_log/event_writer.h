// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "model/application.h"

namespace sparkprof {

// Inverse of EventReader, except for tasks: writes the application's data as events that EventReader reads back to the
// same tables. Passes them to `sink` in a valid order. Settings must be redacted.
void WriteEvents(const Application& application, const std::function<void(std::string&&)>& sink);

}  // namespace sparkprof
