// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/costly_calls.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "analysis/findings/plan_operator.h"

namespace sparkprof {

void AddCostlyCalls(const PlanOperator& one, std::set<std::string>* calls) {
  static const re2::RE2 costly(
      R"(\b(?:RLIKE|regexp_\w+|get_json_object|from_json|from_csv|from_xml|parse_url|split|gettimestamp|unix_timestamp|)"
      R"(date_format|UDF)\()");
  static const re2::RE2 of_python(R"(\w+\()"), number(R"(#\d+L?)");
  constexpr size_t kMostLength = 200;
  const re2::RE2& name = IsPythonOperator(one.kind) ? of_python : costly;
  re2::StringPiece text(one.plan->text), call;
  while (name.Match(text, 0, text.size(), re2::RE2::UNANCHORED, &call, 1)) {
    size_t end = static_cast<size_t>(call.data() - text.data()) + call.size();
    const size_t most = std::min(text.size(), end + kMostLength);
    for (int depth = 1; end < most && depth > 0; ++end) depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    std::string normalized(call.data(), static_cast<size_t>(text.data() + end - call.data()));
    re2::RE2::GlobalReplace(&normalized, number, "");
    calls->insert(std::move(normalized));
    text.remove_prefix(static_cast<size_t>(call.data() - text.data()) + call.size());
  }
}

}  // namespace sparkprof
