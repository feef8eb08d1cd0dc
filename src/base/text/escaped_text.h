// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// Replaces characters that a terminal interprets instead of displaying by U+FFFD: control characters (C0 except newline
// and tab, DEL, C1), characters that change the text direction (UAX #9), and invisible ones (zero-width space, tag
// characters), except the joiners of scripts and emoji. A name must not move the cursor, hide text or change its order;
// programs that read the output see the same text as people. Also applies ToUtf8. ToOneLine does the same for a line.
std::string ForTerminal(std::string_view text);

// Escapes `text` so that Markdown displays it literally, on one line and in one table cell: escapes Markdown and HTML
// markup, prevents references such as "#12", and formats words as code that renderers or sites turn into links,
// mentions, emoji or formulas (URLs, names of hosts and files, "@name", ":name:", "$x$").
std::string EscapeMarkdown(std::string_view text);

// For text in XML elements and attributes: escapes markup and replaces characters that XML forbids by U+FFFD.
std::string EscapeXml(std::string_view text);

// Appends the character that the entity `name` stands for ("lt", "#39", "#x20AC"); false if it is unknown.
bool AppendXmlEntity(std::string_view name, std::string* text);

// `text` with its entities replaced; unknown ones stay.
std::string UnescapeXml(std::string_view text);

// Quotes `word` if necessary, so that a POSIX shell reads it back unchanged as one word: for commands that are printed
// for copying or run by a shell.
std::string ShellWord(std::string_view word);

}  // namespace sparkprof
