// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "analysis/costs/price_list.h"
#include "base/result.h"

namespace sparkprof {

// --prices FILE, or the variable SPARKPROF_PRICES: what cores and memory cost.
void AddPricesTo(CLI::App& command, std::string* path);

// The price list; nothing without a path.
Result<std::optional<PriceList>> ReadPrices(const std::string& path);

}  // namespace sparkprof
