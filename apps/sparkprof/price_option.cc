// SPDX-License-Identifier: Apache-2.0
#include "price_option.h"

#include <utility>

#include "base/byte_source.h"

namespace sparkprof {

void AddPricesTo(CLI::App& command, std::string* path) {
  command.add_option("--prices", *path, "JSON file with the prices of a core-hour and a GB-hour, or of a machine")
      ->envname("SPARKPROF_PRICES")
      ->type_name("FILE");
}

Result<std::optional<PriceList>> ReadPrices(const std::string& path) {
  if (path.empty()) return std::nullopt;
  constexpr size_t kMaxBytes = size_t{1} << 20;
  const Result<std::string> content = ReadAll(path, kMaxBytes);
  if (!content) return tl::unexpected(content.error());
  Result<PriceList> prices = ParsePriceList(*content, path);
  if (!prices) return tl::unexpected(prices.error());
  return std::optional(std::move(*prices));
}

}  // namespace sparkprof
