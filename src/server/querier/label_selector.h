// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// One condition of a selector: `stage="3"`, `user!="bob"`, `thread_group=~"gc|jit"`, `job!~"1."`. Expressions are RE2
// and match the complete value; a missing label has the value "".
struct LabelMatcher {
  std::string name;
  std::string value;
  bool is_negated = false;
  std::shared_ptr<const RE2> expression;  // null = compares with `value`

  bool Matches(std::string_view text) const;
};

using LabelMatchers = std::vector<LabelMatcher>;

// Parses a selector in Prometheus syntax: `{a="b", "c.d"!="e"}`. The text may be empty or `{}`. Errors contain the
// position.
Result<LabelMatchers> ParseSelector(std::string_view text);

// True if all conditions for the label `name` accept `value`.
bool MatchesLabel(const LabelMatchers& matchers, std::string_view name, std::string_view value);

}  // namespace sparkprof
