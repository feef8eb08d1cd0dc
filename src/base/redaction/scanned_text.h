// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/redaction/characters.h"
#include "base/redaction/redaction.h"

namespace sparkprof::redaction {

struct Range {
  size_t begin;
  size_t end;
};

// A text and the secrets found in it so far.
struct ScannedText {
  std::string_view text;
  std::vector<Range> secrets;  // ascending
  size_t from = 0;             // everything before is final
  std::vector<Range> later;    // secrets after the current position, ascending
  size_t table_end = 0;        // end of the last table with redacted columns

  char At(size_t at) const { return CharAt(text, at); }

  // The character before `at`; redacted text counts as its replacement.
  char Before(size_t at) const {
    if (at == 0) return '\0';
    return at == from && !secrets.empty() ? ')' : text[at - 1];
  }

  size_t Redact(size_t begin, size_t end) {
    secrets.push_back({begin, end});
    from = end;
    return end;
  }

  // Redacts a part when the search reaches it: other forms take precedence.
  void RedactLater(Range secret) {
    if (secret.end == secret.begin || IsRedactedAt(secret.begin)) return;
    const auto place = std::upper_bound(later.begin(), later.end(), secret.begin,
                                        [](size_t begin, const Range& other) { return begin < other.begin; });
    if (place == later.begin() || std::prev(place)->begin != secret.begin) later.insert(place, secret);
  }

  void RedactBefore(size_t at) {
    while (!later.empty() && later.front().begin < at) {
      const Range secret = later.front();
      later.erase(later.begin());
      if (secret.begin >= from) Redact(secret.begin, secret.end);
    }
  }

  bool IsRedactedAt(size_t at) const { return text.substr(at).starts_with(kRedacted); }

  // Text before the end of a replacement is not part of another secret.
  size_t SkipRedacted(size_t at) {
    from = std::max(from, at + kRedacted.size());
    return from;
  }

  // Skips blanks, and a backslash that joins two lines.
  size_t SkipBlanks(size_t at) const {
    while (at < text.size()) {
      const size_t size = IsBlank(text[at]) || text[at] == '\0' ? 1 : ContinuationSize(text, at);
      if (size == 0) break;
      at += size;
    }
    return at;
  }

  // Whether a word may start at `at`. True for \nghp_… and %20ghp_…: the preceding letter is part of an escape.
  bool BeginsWord(size_t at) const {
    if (at <= from || !IsAlnum(text[at - 1])) return true;
    if (at >= from + 2 && text[at - 2] == '\\' && IsOneOf(text[at - 1], "nrt")) return true;
    return at >= from + 3 && text[at - 3] == '%' && HexValue(text[at - 2]) >= 0 && HexValue(text[at - 1]) >= 0;
  }
};

}  // namespace sparkprof::redaction
