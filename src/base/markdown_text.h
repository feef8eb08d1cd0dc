// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// Escapes `text` so that Markdown displays it literally, on one line and in one table cell: escapes Markdown and HTML
// markup, prevents references such as "#12", and formats words as code that renderers or sites turn into links,
// mentions, emoji or formulas (URLs, names of hosts and files, "@name", ":name:", "$x$").
std::string EscapeMarkdown(std::string_view text);

}  // namespace sparkprof
