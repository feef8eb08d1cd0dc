// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "analysis/costs/price_list.h"
#include "base/result.h"

namespace sparkprof {

// Adds --prices FILE, with the default from SPARKPROF_PRICES: costs of cores and memory.
void AddPricesTo(CLI::App& command, std::string* path);

// The price list; nullopt without a path.
Result<std::optional<PriceList>> ReadPrices(const std::string& path);

}  // namespace sparkprof
