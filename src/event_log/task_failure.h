// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <string>

namespace sparkprof {

// Spark's "Task End Reason" in the words of its REST API; a stack trace follows where there is one. Long texts are
// cut.
std::string TaskFailureText(const simdjson::dom::object& reason);

}  // namespace sparkprof
