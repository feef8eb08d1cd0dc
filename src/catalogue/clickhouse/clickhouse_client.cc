// SPDX-License-Identifier: Apache-2.0
#include "catalogue/clickhouse/clickhouse_client.h"

#include <fmt/format.h>

#include "base/text/text.h"
#include "http/http_client.h"

namespace sparkprof {
namespace {

// Responses are complete or errors; inserts wait for their shards; each shard evaluates conditions on `entry` alone,
// since all rows of an application are on one shard. A query may contain several texts of 64 KiB.
constexpr std::string_view kSettings =
    "wait_end_of_query=1&insert_distributed_sync=1&distributed_product_mode=local&max_query_size=67108864"
    "&max_ast_elements=1000000";

}  // namespace

std::string QuoteText(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    switch (c) {
      case '\'':
        quoted += "\\'";
        break;
      case '\\':
        quoted += "\\\\";
        break;
      case '\0':
        quoted += "\\0";
        break;
      case '\n':
        quoted += "\\n";
        break;
      case '\r':
        quoted += "\\r";
        break;
      case '\t':
        quoted += "\\t";
        break;
      case '\b':
        quoted += "\\b";
        break;
      case '\f':
        quoted += "\\f";
        break;
      default:
        quoted += c;
    }
  }
  return quoted + "'";
}

std::string WithLiterals(const Sql& sql) {
  std::string text;
  auto value = sql.values.begin();
  for (const char c : sql.text) {
    if (c != '?' || value == sql.values.end()) {
      text += c;
      continue;
    }
    const int64_t* const number = std::get_if<int64_t>(&*value);
    // The smallest number would be parsed as the negation of a number that is too large.
    if (number != nullptr) {
      text += *number < 0 ? fmt::format("toInt64('{}')", *number) : std::to_string(*number);
    } else {
      text += QuoteText(std::get<std::string>(*value));
    }
    ++value;
  }
  return text;
}

Result<std::string> ClickhouseClient::Send(const Url& server, std::string_view query, std::string_view body) const {
  Url url = server;
  url.target = fmt::format("/?{}{}{}", kSettings, query.empty() ? "" : "&query=", PercentEncode(query));
  HttpHeaders headers;
  if (!user_.empty()) {
    headers.emplace_back("authorization", "Basic " + Base64Encode(fmt::format("{}:{}", user_, password_)));
  }
  const Result<HttpResponse> response = SendHttp("POST", url, headers, body, {.max_response_bytes = uint64_t{1} << 30});
  if (!response) return Fail(response.error().message);
  if (response->status != 200) {
    return Fail(fmt::format("ClickHouse at {}: {} (status {})", server.Authority(),
                            ToOneLine(Shorten(ToUtf8(Trim(response->Body())), 500)), response->status));
  }
  return std::string(response->Body());
}

Result<std::string> ClickhouseClient::SendToAny(std::string_view query, std::string_view body) const {
  Result<std::string> answer = Fail("ClickHouse: no server is given");
  for (const Url& server : servers_) {
    answer = Send(server, query, body);
    if (answer) break;
  }
  return answer;
}

Result<void> ClickhouseClient::RunOn(size_t server, const std::string& statement) const {
  return Send(servers_[server], {}, statement).map([](const std::string&) {});
}

Result<std::string> ClickhouseClient::QueryOn(size_t server, const std::string& select) const {
  return Send(servers_[server], {}, select + " FORMAT RowBinary");
}

Result<std::string> ClickhouseClient::Query(const Sql& sql) const {
  return SendToAny({}, WithLiterals(sql) + " FORMAT RowBinary");
}

Result<void> ClickhouseClient::Insert(const std::string& table, const RowBinaryWriter& rows) const {
  if (rows.Rows() == 0) return {};
  return SendToAny(fmt::format("INSERT INTO {} FORMAT RowBinary", table), rows.Bytes()).map([](const std::string&) {});
}

}  // namespace sparkprof
