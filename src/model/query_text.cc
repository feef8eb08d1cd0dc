// SPDX-License-Identifier: Apache-2.0
#include "model/query_text.h"

#include <fmt/format.h>

#include <optional>

#include "base/text/json_parser.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

struct DbtComment {
  std::string node;           // empty in dbt's own queries
  size_t begin = 0, end = 0;  // position in the query
};

std::optional<DbtComment> FindComment(std::string_view query) {
  constexpr std::string_view kBegin = "/*", kEnd = "*/", kApp = "\"dbt\"";
  if (query.find(kApp) == std::string_view::npos) return std::nullopt;
  JsonParser parser;
  for (size_t begin = query.find(kBegin); begin != std::string_view::npos;) {
    const size_t inside = begin + kBegin.size();
    const size_t end = query.find(kEnd, inside);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view comment = Trim(query.substr(inside, end - inside));
    simdjson::dom::object object;
    const bool is_json =
        comment.starts_with('{') && parser.Parse(comment).get_object().get(object) == simdjson::SUCCESS;
    if (is_json && TextAt(object, "app") == "dbt") {
      return DbtComment{std::string(TextAt(object, "node_id")), begin, end + kEnd.size()};
    }
    begin = query.find(kBegin, end + kEnd.size());
  }
  return std::nullopt;
}

}  // namespace

std::string DbtNodeOf(std::string_view query) {
  const std::optional<DbtComment> comment = FindComment(query);
  return comment ? comment->node : std::string();
}

std::string ReadableQuery(std::string_view query) {
  const std::optional<DbtComment> comment = FindComment(query);
  if (!comment) return std::string(query);
  const std::string_view before = Trim(query.substr(0, comment->begin)), after = Trim(query.substr(comment->end));
  return fmt::format("dbt{}{}: {}{}{}", comment->node.empty() ? "" : " ", comment->node, before,
                     before.empty() || after.empty() ? "" : " ", after);
}

std::string ReadableCallSite(std::string_view call_site, std::string_view details) {
  if (!call_site.starts_with("Spark Connect - ")) return std::string(call_site);
  constexpr std::string_view kLine = "call_site: \"";  // call site of the outermost expression
  const size_t begin = details.find(kLine);
  const size_t end = begin == std::string_view::npos ? begin : details.find('"', begin + kLine.size());
  if (end == std::string_view::npos) return "Connect query";
  return fmt::format("Connect query at {}", details.substr(begin + kLine.size(), end - begin - kLine.size()));
}

std::string TableNameIn(std::string_view text) {
  constexpr std::string_view kBetween = "`.`";
  const size_t between = text.find(kBetween);
  if (between == std::string_view::npos || between == 0) return {};
  const size_t open = text.rfind('`', between - 1);
  if (open == std::string_view::npos) return {};
  std::string name;
  for (std::string_view rest = text.substr(open + 1);;) {
    const size_t end = rest.find('`');
    if (end == std::string_view::npos) return {};
    name += rest.substr(0, end);
    rest.remove_prefix(end);
    if (!rest.starts_with(kBetween)) return name;
    name += '.';
    rest.remove_prefix(kBetween.size());
  }
}

}  // namespace sparkprof
