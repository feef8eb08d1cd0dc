// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/call_site.h"

#include <algorithm>
#include <iterator>

namespace sparkprof {

std::string ShortCallSite(std::string_view call_site) {
  constexpr std::string_view kAt = " at ";
  const size_t at = call_site.rfind(kAt);
  if (at == std::string_view::npos) return std::string(call_site);
  const size_t path = at + kAt.size();
  const size_t slash = call_site.rfind('/');
  if (slash == std::string_view::npos || slash < path) return std::string(call_site);
  return std::string(call_site.substr(0, path)) + std::string(call_site.substr(slash + 1));
}

bool IsOfProgram(std::string_view call_site) {
  constexpr std::string_view kOthers[] = {
      "FutureTask.java",        "ThreadPoolExecutor.java", "NativeMethodAccessorImpl.java",
      "CompletableFuture.java", "Executors.java",          "DirectMethodHandleAccessor.java",
      "clientserver.py",        "java_gateway.py",         "<unknown>"};
  return call_site.find(" at ") != std::string_view::npos &&
         std::none_of(std::begin(kOthers), std::end(kOthers),
                      [&](std::string_view other) { return call_site.find(other) != std::string_view::npos; });
}

std::string FlowOf(const Job& job) {
  constexpr std::string_view kFlow = "flow:";
  for (const std::string_view tag : job.tags) {
    if (tag.starts_with(kFlow)) return "flow " + std::string(tag.substr(kFlow.size()));
  }
  return {};
}

}  // namespace sparkprof
