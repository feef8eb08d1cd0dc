// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparkprof {

// The name of this host, as gethostname(2) has it.
std::string HostName();

}  // namespace sparkprof
