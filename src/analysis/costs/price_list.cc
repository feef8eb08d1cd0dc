// SPDX-License-Identifier: Apache-2.0
#include "analysis/costs/price_list.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <cmath>

namespace sparkprof {
namespace {

constexpr std::string_view kExpected =
    R"(expected {"currency":"USD","coreHour":0.05,"gbHour":0.006} or {"currency":"USD","machineHour":0.384,"cores":8,"gb":32})";

// A price or an amount; nullopt if it is missing or not a non-negative number.
std::optional<double> Amount(const simdjson::dom::object& object, std::string_view key) {
  double value = 0;
  if (object.at_key(key).get_double().get(value) != simdjson::SUCCESS) return std::nullopt;
  return std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

Result<PriceList> ParsePriceList(std::string_view json, const std::string& name) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(simdjson::padded_string(json)).get_object().get(object) != simdjson::SUCCESS) {
    return Fail(fmt::format("{}: not a JSON object; {}", name, kExpected));
  }
  PriceList prices;
  std::string_view currency;
  if (object.at_key("currency").get_string().get(currency) != simdjson::SUCCESS || currency.empty()) {
    return Fail(fmt::format("{}: no currency; {}", name, kExpected));
  }
  prices.currency = currency;
  const auto core_hour = Amount(object, "coreHour"), gb_hour = Amount(object, "gbHour");
  if (core_hour && gb_hour) {
    prices.core_hour = *core_hour;
    prices.gb_hour = *gb_hour;
    return prices;
  }
  const auto machine_hour = Amount(object, "machineHour"), cores = Amount(object, "cores"), gb = Amount(object, "gb");
  if (!machine_hour || cores.value_or(0) <= 0 || gb.value_or(0) <= 0) {
    return Fail(fmt::format("{}: no prices; {}", name, kExpected));
  }
  prices.core_hour = *machine_hour / 2 / *cores;
  prices.gb_hour = *machine_hour / 2 / *gb;
  return prices;
}

}  // namespace sparkprof
