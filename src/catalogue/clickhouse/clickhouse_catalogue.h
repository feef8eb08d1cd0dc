// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue.h"

namespace sparkprof {

struct ClickhouseOptions {
  std::vector<std::string>
      servers;          // "http://HOST:8123" of every shard and replica; queries go to the first that responds
  std::string cluster;  // cluster name in remote_servers; empty = a single server
  std::string database = "sparkprof";
  std::string user;
  std::string password;
  size_t max_stacks = 8'000'000;  // maximum in memory, about 60 bytes each
};

// Opens a catalogue in ClickHouse 18.16 or later. Creates the database and tables if they are missing; the database
// name includes the table version. All rows of an application are on one shard. Several processes may write: the last
// entry of an application wins, whatever the processes' clocks say.
Result<std::unique_ptr<Catalogue>> OpenClickhouseCatalogue(const ClickhouseOptions& options);

}  // namespace sparkprof
