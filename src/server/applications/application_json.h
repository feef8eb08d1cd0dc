// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/costs/price_list.h"
#include "base/text/json_writer.h"
#include "catalogue/catalogue.h"

namespace sparkprof {

// One object of the application list (docs/server-api.md). Includes the cost if there are prices.
void WriteApplicationRow(const ApplicationRow& row, const std::optional<PriceList>& prices, JsonWriter* json);

// Cost of core and memory time. nullopt = usage or prices are unknown.
std::optional<double> CostOf(int64_t core_ms, int64_t memory_mib_s, const std::optional<PriceList>& prices);

// Writes the member "cost" if there are prices: {"total","currency"}, or null if usage is unknown.
void WriteCostOf(int64_t core_ms, int64_t memory_mib_s, const std::optional<PriceList>& prices, JsonWriter* json);

}  // namespace sparkprof
