// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// `text` as Markdown that shows it and nothing else, on one line and in one cell of a table: marks of Markdown and HTML
// are escaped, "#12" is no reference, and words that a renderer or a site turns into links, mentions, emoji or formulas
// (URLs, names of hosts and files, "@name", ":name:", "$x$") are code.
std::string EscapeMarkdown(std::string_view text);

}  // namespace sparkprof
