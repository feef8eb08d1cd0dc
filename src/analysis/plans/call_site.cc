// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/call_site.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text/text.h"
#include "model/query_text.h"

namespace sparkprof {
namespace {

// The text of a query, which spark-sql and Thrift servers use as description, in one line.
std::string ShortQuery(std::string_view text) {
  constexpr size_t kMostBytes = 80;
  std::string line;
  for (const char c : Trim(text)) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_blank || line.back() != ' ') line += is_blank ? ' ' : c;
    if (line.size() > 2 * kMostBytes) break;
  }
  return Shorten(line, kMostBytes);
}

}  // namespace

std::string ShortCallSite(std::string_view call_site) {
  if (const std::string node = DbtNodeOf(call_site); !node.empty()) return "dbt " + node;
  if (call_site.find('\n') != std::string_view::npos) return ShortQuery(call_site);
  constexpr std::string_view kAt = " at ";
  const size_t at = call_site.rfind(kAt);
  if (at == std::string_view::npos) return std::string(call_site);
  const size_t path = at + kAt.size();
  const size_t slash = call_site.rfind('/');
  if (slash == std::string_view::npos || slash < path) return std::string(call_site);
  return std::string(call_site.substr(0, path)) + std::string(call_site.substr(slash + 1));
}

std::string CallInWords(std::string_view call_site) {
  const std::string text = ShortCallSite(call_site);
  return IsOfProgram(text) ? text : text.substr(0, text.rfind(" at "));
}

bool IsOfProgram(std::string_view call_site) {
  constexpr std::string_view kOthers[] = {
      "FutureTask.java",
      "ThreadPoolExecutor.java",
      "NativeMethodAccessorImpl.java",
      "CompletableFuture.java",
      "Executors.java",
      "DirectMethodHandleAccessor.java",
      "AccessController.java",
      "clientserver.py",
      "java_gateway.py",
      "<unknown>",
  };
  return call_site.find(" at ") != std::string_view::npos &&
         std::none_of(std::begin(kOthers), std::end(kOthers),
                      [&](std::string_view other) { return call_site.find(other) != std::string_view::npos; });
}

std::string StepOf(const Job& job) {
  for (const std::string_view kind : {"flow", "dbt"}) {
    for (const std::string_view tag : job.tags) {
      if (!tag.starts_with(kind) || !tag.substr(kind.size()).starts_with(':')) continue;
      return fmt::format("{} {}", kind, tag.substr(kind.size() + 1));
    }
  }
  return {};
}

}  // namespace sparkprof
