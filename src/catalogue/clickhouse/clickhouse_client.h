// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue_sql.h"
#include "catalogue/clickhouse/row_binary.h"
#include "http/url.h"

namespace sparkprof {

// Quotes `text` and escapes every byte with a meaning in a ClickHouse literal.
std::string QuoteText(std::string_view text);

// Replaces each `?` in `sql` by its value as a literal: ClickHouse 18 has no parameters.
std::string WithLiterals(const Sql& sql);

// HTTP client for the servers of one ClickHouse cluster. Thread-safe: each request has its own connection.
class ClickhouseClient {
 public:
  ClickhouseClient(std::vector<Url> servers, std::string user, std::string password)
      : servers_(std::move(servers)), user_(std::move(user)), password_(std::move(password)) {}

  size_t ServerCount() const { return servers_.size(); }
  Result<void> RunOn(size_t server, const std::string& statement) const;
  // Returns the rows of a SELECT as RowBinary, from one server.
  Result<std::string> QueryOn(size_t server, const std::string& select) const;
  // The same, from the first reachable server.
  Result<std::string> Query(const Sql& sql) const;
  // Does nothing without rows. Returns when the rows are stored on their shards.
  Result<void> Insert(const std::string& table, const RowBinaryWriter& rows) const;

 private:
  Result<std::string> Send(const Url& server, std::string_view query, std::string_view body) const;
  Result<std::string> SendToAny(std::string_view query, std::string_view body) const;

  std::vector<Url> servers_;
  std::string user_;
  std::string password_;
};

}  // namespace sparkprof
