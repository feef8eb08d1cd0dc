// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "model/application.h"

namespace sparkprof {

// Selects applications of a fleet. Texts are shell patterns (etl_*); empty = all.
struct FleetFilter {
  int64_t since_ns = 0;  // ran at or after this time; 0 = any time
  int64_t until_ns = 0;  // started before this time
  std::string user, queue, name;

  bool Accepts(const Application& application) const;
  // Whether a log with this modification time may contain a matching application.
  bool MayAccept(int64_t modified_ns) const { return modified_ns == 0 || modified_ns >= since_ns; }
  // Describes the filter: equal filters have the same text; empty for one that accepts all.
  std::string Text() const;
};

}  // namespace sparkprof
