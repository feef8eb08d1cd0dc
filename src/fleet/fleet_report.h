// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "analysis/costs/price_list.h"
#include "base/result.h"

namespace sparkprof {

// A page about the result of `sparkprof fleet analyze` in `folder`: one HTML file. `prices` replace those stored with
// the rows. Fails if the folder has no such result.
Result<std::string> FleetReport(const std::string& folder, const std::optional<PriceList>& prices);

// The page's data as JSON, in the shape of web/src/fleet/contract.ts.
Result<std::string> FleetReportData(const std::string& folder, const std::optional<PriceList>& prices);

}  // namespace sparkprof
