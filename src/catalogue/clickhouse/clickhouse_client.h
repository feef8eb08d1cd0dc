// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalogue/clickhouse/row_binary.h"
#include "catalogue/sql.h"
#include "http/url.h"

namespace sparkprof {

// 'text' as ClickHouse reads it, with every byte escaped that has a meaning in a literal.
std::string QuoteText(std::string_view text);

// The text of `sql` with each `?` replaced by the literal of its value. ClickHouse 18 has no parameters.
std::string WithLiterals(const Sql& sql);

// Servers of one ClickHouse cluster over HTTP. Thread-safe: each request is a connection of its own.
class ClickhouseClient {
 public:
  ClickhouseClient(std::vector<Url> servers, std::string user, std::string password)
      : servers_(std::move(servers)), user_(std::move(user)), password_(std::move(password)) {}

  size_t ServerCount() const { return servers_.size(); }
  // Runs a statement on one server.
  Result<void> RunOn(size_t server, const std::string& statement) const;
  // The rows of a SELECT as RowBinary, from the first server that can be reached.
  Result<std::string> Query(const Sql& sql) const;
  // Inserts nothing if there are no rows. Returns when the rows are stored on their shards.
  Result<void> Insert(const std::string& table, const RowBinaryWriter& rows) const;

 private:
  Result<std::string> Send(const Url& server, std::string_view query, std::string_view body) const;
  Result<std::string> SendToAny(std::string_view query, std::string_view body) const;

  std::vector<Url> servers_;
  std::string user_;
  std::string password_;
};

}  // namespace sparkprof
