// SPDX-License-Identifier: Apache-2.0
#include "render/writers/weight_text.h"

#include "base/text.h"

namespace sparkprof {

std::string FormatWeight(Event event, int64_t weight) {
  return EventUnit(event) == "bytes" ? FormatBytes(weight) : FormatDuration(weight);
}

}  // namespace sparkprof
