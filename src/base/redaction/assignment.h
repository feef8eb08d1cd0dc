// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/redaction/characters.h"
#include "base/redaction/rules.h"
#include "base/redaction/scanned_text.h"
#include "base/redaction/value_span.h"

namespace sparkprof::redaction {

// How a value is connected to its name.
enum class Link {
  kAssigned,  // NAME=VALUE and the like
  kProse,     // NAME: VALUE
  kApart,     // NAME VALUE, NAME is VALUE: only if quoted, or if it resembles a key or a password
};

// Position and form of the value that a text assigns to a name.
struct AssignedValue {
  size_t value = 0;
  Link link = Link::kAssigned;
  ValueKind kind = ValueKind::kPlain;
  bool to_tag = false;  // whether the value ends with the next tag
};

// Finds the value assigned to the name at [begin, end).
std::optional<AssignedValue> FindAssignedValue(const ScannedText& scan, size_t begin, size_t end, bool is_option,
                                               bool is_parameter, Secrecy secrecy);

// Redacts the value assigned to `name` if it is a secret. `quote_before` is the position of the quote directly before
// the name, or npos. Returns the next position: `next` if it is not a secret.
size_t RedactAssigned(ScannedText* scan, AssignedValue found, size_t quote_before, std::string_view name,
                      Secrecy secrecy, size_t next);

// Redacts IDENTIFIED BY 'X', IDENTIFIED BY X, IDENTIFIED WITH plugin BY 'X'.
size_t RedactIdentifiedBy(ScannedText* scan, size_t at, size_t behind);

inline constexpr size_t kMaxAssignedName = 200;
inline bool IsNameCharacter(char c) { return IsAlnum(c) || IsOneOf(c, "_.-$"); }

// Redacts the value assigned to the name around `at` if it is a secret. Returns the next position to search.
size_t RedactAssignment(ScannedText* scan, size_t at);

// RedactAssignment for a name with known secrecy at `name`, which may start with the hyphens of an option. Returns
// `next` if nothing is redacted.
size_t RedactNamed(ScannedText* scan, Range name, Secrecy secrecy, size_t next);

// Adds the spellings of a name in section [other-language]: unchanged, capitalized, and in capitals.
void AddWritings(std::string_view name, std::deque<std::string>* writings);

// Adds the spellings of a word in section [leet] with digits and signs for letters: "p4ssw0rd", "pa$$word".
void AddLeet(std::string_view word, std::deque<std::string>* writings);

// The prefix of a spelling at which a search stops: "_" matches a space, an underscore, a hyphen or nothing.
std::string_view BeginningOf(std::string_view writing);

// Redacts the value assigned to the name `writing`, if it is at `at`. Returns the next position to search.
size_t RedactSpelled(ScannedText* scan, size_t at, std::string_view writing);

}  // namespace sparkprof::redaction
