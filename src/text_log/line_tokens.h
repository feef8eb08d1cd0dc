// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace sparkprof {

inline constexpr size_t kNoToken = std::string_view::npos;

enum class TokenKind : char {
  kBlank = ' ',
  kMark = '.',  // one byte that belongs to no word, or a word without letters and digits
  kTime = 'T',
  kLevel = 'L',
  kNumber = 'n',
  kWord = 'w',
  kText = 't',  // between brackets, without a time or a level: as many words as there are
};

// A part of what is beside a line's message.
struct Token {
  TokenKind kind = TokenKind::kBlank;
  size_t begin = 0;
  size_t end = 0;
};

// The tokens of line[begin, end). `levels`: a word counts as a level whatever its case; otherwise only in upper case or
// behind a mark.
std::vector<Token> Tokenize(std::string_view line, size_t begin, size_t end, bool levels);

// Where the message of a line without a known sentence begins.
struct GuessedHeader {
  size_t message = 0;
  bool has_logger = false;
  bool is_first_of_two = false;  // java.util.logging's first line
};

// By a time and a level, in this order or the other one, with thread, logger and place between or behind them or not;
// by a time with a zone alone; by Python's "LEVEL:logger:message". `may_lack_time`: by a level alone. Nullopt for other
// lines.
std::optional<GuessedHeader> GuessHeader(std::string_view line, bool may_lack_time);

// True for names such as "o.a.s.TaskSetManager", "SparkContext" and "com.example.Job.run".
bool IsClassLike(std::string_view name);

}  // namespace sparkprof
