// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "mcp/tool.h"

namespace sparkprof {

// Size of an answer's page: at most 1,500 tokens of 4 characters.
inline constexpr size_t kMaxPageBytes = 6000;

struct AnswerPage {
  std::string text;
  std::string next_cursor;    // empty = last page
  size_t begin = 0, end = 0;  // range of its blocks
};

// The page of `answer` that starts at `cursor` (empty = the first), with as many blocks as fit. Truncates a block
// larger than a page. Fails for a cursor that is not the end of a page.
Result<AnswerPage> PageOf(const ToolAnswer& answer, const std::string& cursor);

}  // namespace sparkprof
