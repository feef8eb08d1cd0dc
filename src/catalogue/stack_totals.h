// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "catalogue/catalogue.h"
#include "model/application.h"

namespace sparkprof {

// Sums of an application's samples by hour, event and stack, into `entry->totals` and `entry->stacks`: without lines,
// and stacks below `rare_share` of their event as "[rare stacks]" of their caller. Samples without a time are in the
// hour of `start_ns`. Leaves out pool threads that wait for work, as flame graphs do.
void AddStackTotals(const Profile& profile, int64_t start_ns, double rare_share, CatalogueEntry* entry);

}  // namespace sparkprof
