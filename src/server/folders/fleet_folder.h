// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "analysis/costs/price_list.h"
#include "base/result.h"

namespace sparkprof {

// The result of `sparkprof fleet analyze`, for the collector's fleet page. Thread-safe.
class FleetFolder {
 public:
  // An empty path means that there is no fleet.
  FleetFolder(std::string path, std::optional<PriceList> prices) : path_(std::move(path)), prices_(std::move(prices)) {}

  bool Exists() const { return !path_.empty(); }

  struct Data {
    std::shared_ptr<const std::string> compressed;  // gzip-compressed JSON of the page (web/src/fleet/contract.ts)
    std::string tag;                                // changes with the rows
  };
  // Reads the rows again only if `fleet analyze` has changed them: this takes seconds for 100,000 applications.
  Result<Data> Read();

 private:
  Result<std::string> Version() const;

  const std::string path_;
  const std::optional<PriceList> prices_;
  std::mutex mutex_;
  std::string version_;  // version of data_
  Data data_;
};

}  // namespace sparkprof
