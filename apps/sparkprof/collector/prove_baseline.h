// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/costs/price_list.h"
#include "base/result.h"
#include "inputs/server_options.h"
#include "prove/recorded_runs.h"

namespace sparkprof {

// Recorded runs that serve `prove` as runs before a change.
struct Baseline {
  std::vector<RecordedRun> runs;
  std::string application, group;  // those of the latest run
};

// Reads the finished applications of `inputs`: recordings, event logs and folders of them; addresses of applications
// and groups on a collector; and, if the options name a collector, IDs of its applications and names of its groups,
// each of which stands for its last 20 runs. Fails if no run is found.
Result<Baseline> ReadBaseline(const std::vector<std::string>& inputs, const CollectorOptions& server,
                              const std::optional<PriceList>& prices);

}  // namespace sparkprof
