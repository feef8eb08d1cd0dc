// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "catalogue/catalogue.h"
#include "model/application.h"

namespace sparkprof {

// Sums samples by hour, event and stack into `entry->totals` and `entry->stacks`, without line numbers. Stacks below
// `rare_share` of their event are merged into "[rare stacks]" of their caller. Samples without a time count for the
// hour of `start_ns`. Skips idle pool threads, as flame graphs do.
void AddStackTotals(const Profile& profile, int64_t start_ns, double rare_share, CatalogueEntry* entry);

}  // namespace sparkprof
