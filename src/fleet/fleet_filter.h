// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "model/application.h"

namespace sparkprof {

// Which applications of a fleet are wanted. Texts are patterns of a shell (etl_*), empty = all.
struct FleetFilter {
  int64_t since_ns = 0;  // ran at this time or later; 0 = any time
  int64_t until_ns = 0;  // started before
  std::string user, queue, name;

  bool Accepts(const Application& application) const;
  // Whether a log that was last changed then may have such an application.
  bool MayAccept(int64_t modified_ns) const { return modified_ns == 0 || modified_ns >= since_ns; }
  // Equal for equal filters, empty for one that accepts all.
  std::string Text() const;
};

}  // namespace sparkprof
