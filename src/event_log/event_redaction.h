// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparkprof {

// Takes secrets out of one Spark event as JSON, unless what remains is no JSON: its reader redacts the texts then.
// False when nothing changed.
bool RedactEvent(std::string* event);

}  // namespace sparkprof
