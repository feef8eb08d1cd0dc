// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/costs/price_list.h"
#include "base/json_writer.h"
#include "catalogue/catalogue.h"

namespace sparkprof {

// One object of the list of applications, see docs/server-api.md. With prices, it has a cost.
void WriteApplicationRow(const ApplicationRow& row, const std::optional<PriceList>& prices, JsonWriter* json);

// The price of so much time of cores and memory; nothing where it is unknown, or without prices.
std::optional<double> CostOf(int64_t core_ms, int64_t memory_mib_s, const std::optional<PriceList>& prices);

// With prices, the member "cost": {"total","currency"}, or null where it is unknown.
void WriteCostOf(int64_t core_ms, int64_t memory_mib_s, const std::optional<PriceList>& prices, JsonWriter* json);

}  // namespace sparkprof
