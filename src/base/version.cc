// SPDX-License-Identifier: Apache-2.0
#include "base/version.h"

namespace sparkprof {

std::string_view Version() { return SPARKPROF_VERSION; }

std::string NamedVersion() { return "sparkprof " SPARKPROF_VERSION; }

}  // namespace sparkprof
