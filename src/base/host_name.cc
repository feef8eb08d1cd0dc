// SPDX-License-Identifier: Apache-2.0
#include "base/host_name.h"

#include <unistd.h>

namespace sparkprof {

std::string HostName() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace sparkprof
