// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "analysis/costs/price_list.h"
#include "base/result.h"

namespace sparkprof {

// The result of `sparkprof fleet analyze`, whose page the collector shows. Thread-safe.
class FleetFolder {
 public:
  // Without a path there is none.
  FleetFolder(std::string path, std::optional<PriceList> prices) : path_(std::move(path)), prices_(std::move(prices)) {}

  bool Exists() const { return !path_.empty(); }

  struct Data {
    std::shared_ptr<const std::string> compressed;  // JSON of the page (web/src/fleet/contract.ts), gzip
    std::string tag;                                // changes with the rows
  };
  // Reads the rows again only after `fleet analyze` has changed them, which takes seconds for 100,000 applications.
  Result<Data> Read();

 private:
  Result<std::string> Version() const;

  const std::string path_;
  const std::optional<PriceList> prices_;
  std::mutex mutex_;
  std::string version_;  // of data_
  Data data_;
};

}  // namespace sparkprof
