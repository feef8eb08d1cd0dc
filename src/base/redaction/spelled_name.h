// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// Adds the writings of a name of section [other-language]: as it is, capitalized, and in capitals.
void AddWritings(std::string_view name, std::deque<std::string>* writings);

// Adds the writings of a word of section [leet] with digits and signs for letters: "p4ssw0rd", "pa$$word".
void AddLeet(std::string_view word, std::deque<std::string>* writings);

// The part of a writing that a search stops at: "_" stands for a blank, an underscore, a hyphen or nothing.
std::string_view BeginningOf(std::string_view writing);

// Redacts what is assigned to the name `writing`, if it is at `at`. Returns where to go on.
size_t RedactSpelled(ScannedText* scan, size_t at, std::string_view writing);

}  // namespace sparkprof::redaction
