// SPDX-License-Identifier: Apache-2.0
#include "model/samples/heap_summary.h"

#include "base/saturate.h"

namespace sparkprof {

HeapObjects HeapSummary::Total() const {
  HeapObjects total = others;
  for (const HeapClass& row : classes) {
    AddSaturated(row.objects.instances, &total.instances);
    AddSaturated(row.objects.bytes, &total.bytes);
  }
  return total;
}

}  // namespace sparkprof
