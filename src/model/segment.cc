// SPDX-License-Identifier: Apache-2.0
#include "model/segment.h"

namespace sparkprof {

std::string Source::Identity() const {
  return boot_id + "/" + host + "/" + std::to_string(pid) + "/" + std::to_string(start_ticks) + "/" + application_id +
         "/" + executor_id;
}

}  // namespace sparkprof
