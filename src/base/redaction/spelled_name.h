// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// Adds the spellings of a name in section [other-language]: unchanged, capitalized, and in capitals.
void AddWritings(std::string_view name, std::deque<std::string>* writings);

// Adds the spellings of a word in section [leet] with digits and signs for letters: "p4ssw0rd", "pa$$word".
void AddLeet(std::string_view word, std::deque<std::string>* writings);

// The prefix of a spelling at which a search stops: "_" matches a space, an underscore, a hyphen or nothing.
std::string_view BeginningOf(std::string_view writing);

// Redacts the value assigned to the name `writing`, if it is at `at`. Returns the next position to search.
size_t RedactSpelled(ScannedText* scan, size_t at, std::string_view writing);

}  // namespace sparkprof::redaction
