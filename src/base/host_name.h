// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparkprof {

// The name of this host from gethostname(2).
std::string HostName();

}  // namespace sparkprof
