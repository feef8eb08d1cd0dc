// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text/text.h"
#include "mcp/tool.h"

namespace sparkprof {
namespace {

constexpr size_t kFooterBytes = 120;
constexpr size_t kMaxText = kMaxPageBytes - kFooterBytes;

}  // namespace

Result<AnswerPage> PageOf(const ToolAnswer& answer, const std::string& cursor) {
  AnswerPage page;
  if (!cursor.empty()) {
    const std::optional<int64_t> begin = ParseInteger(cursor);
    if (!begin || *begin < 0 || static_cast<size_t>(*begin) >= answer.blocks.size()) {
      return Fail(fmt::format("cursor: '{}' is not one of this answer; leave it out for the first page",
                              Shorten(ToOneLine(cursor), 20)));
    }
    page.begin = static_cast<size_t>(*begin);
  }
  page.end = page.begin;
  while (page.end < answer.blocks.size()) {
    const std::string block = Shorten(answer.blocks[page.end].text, kMaxText - 1);
    if (page.end > page.begin && page.text.size() + 1 + block.size() > kMaxText) break;
    if (page.end > page.begin) page.text += '\n';
    page.text += block;
    ++page.end;
  }
  if (page.end < answer.blocks.size()) {
    page.next_cursor = std::to_string(page.end);
    page.text += fmt::format("\n… more: call again with cursor=\"{}\"", page.next_cursor);
  }
  return page;
}

}  // namespace sparkprof
