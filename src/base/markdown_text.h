// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// `text` as Markdown that shows it and nothing else, on one line and in one cell of a table: marks of Markdown and HTML
// are escaped, and words that a renderer or a site turns into links, mentions, references, emoji or formulas (URLs,
// host and file names, "@name", "#12", ":name:", "$x$") are code.
std::string EscapeMarkdown(std::string_view text);

}  // namespace sparkprof
