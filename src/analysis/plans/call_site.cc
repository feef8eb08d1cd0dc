// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/call_site.h"

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

}  // namespace sparkprof
