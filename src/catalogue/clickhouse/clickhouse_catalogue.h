// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue.h"

namespace sparkprof {

struct ClickhouseOptions {
  std::vector<std::string> servers;  // "http://HOST:8123" of every shard and replica; the first that answers is asked
  std::string cluster;               // of the servers' remote_servers; empty: one server without a cluster
  std::string database = "sparkprof";
  std::string user;
  std::string password;
  size_t max_stacks = 8'000'000;  // held in memory, about 60 bytes for each
};

// A catalogue in ClickHouse, version 18.16 or later. Creates the database and its tables where they are missing; the
// version of the tables is part of the database's name. All rows of an application are on one shard. One process
// writes; others may read.
Result<std::unique_ptr<Catalogue>> OpenClickhouseCatalogue(const ClickhouseOptions& options);

}  // namespace sparkprof
