// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <simdjson.h>

#include <array>

#include "base/text/text.h"
#include "top/top_source.h"

namespace sparkprof {
namespace {

struct Order {
  std::string_view name, column;
};
constexpr std::array<Order, 3> kOrders = {
    {{"start", "-startTime"}, {"CPU time", "-cpuSeconds"}, {"time", "-durationMs"}}};

std::string TextOf(const simdjson::dom::element& element, std::string_view name) {
  std::string_view text;
  return element[name].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

std::string NumberOf(const simdjson::dom::element& element, std::string_view name) {
  int64_t number = 0;
  return element[name].get(number) == simdjson::SUCCESS ? std::to_string(number) : "-";
}

std::string DurationOf(const simdjson::dom::element& element, std::string_view name, double unit_ns) {
  double number = 0;
  if (element[name].get(number) != simdjson::SUCCESS) return "-";
  return FormatDuration(static_cast<int64_t>(number * unit_ns));
}

class ShownServer : public TopSource {
 public:
  explicit ShownServer(const CollectorOptions& server) : server_(server) {}

  Result<std::vector<std::string>> Lines(const WorkTextStyle& style) override {
    const Result<ServerClient> client = ServerClient::Create(server_);
    if (!client) return tl::unexpected(client.error());
    const Result<HttpResponse> response =
        client->Send("GET", fmt::format("/applications?status=running&sort={}&limit=100", kOrders[order_].column), "");
    if (!response) return tl::unexpected(response.error());
    if (response->status != 200) return Fail(fmt::format("{}: {}", server_.server, ServerClient::Describe(*response)));
    simdjson::dom::parser parser;
    simdjson::dom::element answer;
    simdjson::dom::array applications;
    int64_t total = 0;
    if (parser.parse(simdjson::padded_string(response->Body())).get(answer) != simdjson::SUCCESS ||
        answer["applications"].get(applications) != simdjson::SUCCESS ||
        answer["total"].get(total) != simdjson::SUCCESS)
      return Fail(server_.server + ": unexpected response to a request for applications");
    std::vector<std::vector<std::string>> rows;
    for (const simdjson::dom::element one : applications) {
      rows.push_back({TextOf(one, "id"), TextOf(one, "user"), DurationOf(one, "durationMs", 1e6),
                      NumberOf(one, "tasks"), DurationOf(one, "cpuSeconds", 1e9), NumberOf(one, "findings"),
                      TextOf(one, "name")});
    }
    std::vector<std::string> lines{
        TitleLine(fmt::format("{}  {} running application{}", server_.server, total, total == 1 ? "" : "s"), style)};
    if (rows.empty()) return lines;
    lines.emplace_back();
    const auto table = ColumnLines(
        {{"APPLICATION"}, {"USER"}, {"TIME", true}, {"TASKS", true}, {"CPU", true}, {"FINDINGS", true}, {"NAME"}}, rows,
        style);
    lines.insert(lines.end(), table.begin(), table.end());
    if (style.height > 0 && lines.size() > style.height) lines.resize(style.height);
    return lines;
  }

  bool OnKey(char key) override {
    if (key != 's') return false;
    order_ = (order_ + 1) % kOrders.size();
    return true;
  }

  std::string Keys() const override { return fmt::format("s sort ({})", kOrders[order_].name); }

 private:
  const CollectorOptions server_;
  size_t order_ = 0;
};

}  // namespace

std::unique_ptr<TopSource> ServerTop(const CollectorOptions& server) { return std::make_unique<ShownServer>(server); }

}  // namespace sparkprof
