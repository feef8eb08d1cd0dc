// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "mcp/tool.h"

namespace sparkprof {

// An answer's page has at most 1,500 tokens of 4 characters.
inline constexpr size_t kMaxPageBytes = 6000;

struct AnswerPage {
  std::string text;
  std::string next_cursor;    // empty: the last page
  size_t begin = 0, end = 0;  // blocks that are on it
};

// The page of `answer` from `cursor` on (empty = the first). As many blocks as fit; a block larger than a page is
// shortened. Fails for a cursor that no page ends with.
Result<AnswerPage> PageOf(const ToolAnswer& answer, const std::string& cursor);

}  // namespace sparkprof
