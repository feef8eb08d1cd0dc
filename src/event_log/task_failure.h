// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <string>

namespace sparkprof {

// Spark's "Task End Reason" in the wording of its REST API, followed by the stack trace if there is one.
std::string TaskFailureText(const simdjson::dom::object& reason);

}  // namespace sparkprof
