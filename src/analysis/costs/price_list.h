// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// Prices of cores and memory, from a JSON file:
//   {"currency":"USD","coreHour":0.05,"gbHour":0.006}
// or for machines that are paid as a whole:
//   {"currency":"USD","machineHour":0.384,"cores":8,"gb":32}
// A machine's price is divided by halves between its cores and its memory, so that an unused part costs something too.
// A GB is 2^30 bytes.
struct PriceList {
  std::string currency;
  double core_hour = 0;
  double gb_hour = 0;

  double Cost(double core_hours, double gb_hours) const { return core_hours * core_hour + gb_hours * gb_hour; }
  // nullopt if a quantity is unknown (0) and has a price: a partial cost would be misleading.
  std::optional<double> KnownCost(double core_hours, double gb_hours) const {
    if (core_hours <= 0 || (gb_hour > 0 && gb_hours <= 0)) return std::nullopt;
    return Cost(core_hours, gb_hours);
  }
};

// `name`: file name for messages.
Result<PriceList> ParsePriceList(std::string_view json, const std::string& name);

}  // namespace sparkprof
