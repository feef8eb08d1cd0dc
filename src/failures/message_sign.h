// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace sparkprof {

// Values of named holes, as views of the text.
class HoleValues {
 public:
  static constexpr size_t kMaxHoles = 8;

  void Add(std::string_view name, std::string_view value);
  std::optional<std::string_view> Find(std::string_view name) const;
  size_t Size() const { return size_; }

 private:
  struct Value {
    std::string_view name, text;
  };
  std::array<Value, kMaxHoles> values_ = {};
  size_t size_ = 0;
};

// True if the match from `begin` to `end` is part of a longer word.
bool IsPartOfWord(std::string_view text, size_t begin, size_t end);

// A message with typed holes; failures/README.md lists the types.
class MessageSign {
 public:
  // Keeps a view of `sign`. Tests read all tables, so a malformed hole fails the build.
  explicit MessageSign(std::string_view sign);

  // The literal before the first hole, where each match begins.
  std::string_view Begin() const { return parts_.front().literal; }

  // The total length of all literals.
  size_t LiteralSize() const;

  // True if the message follows at `at`, where the text has Begin(). Adds the values of its holes.
  bool Match(std::string_view text, size_t at, HoleValues* values) const;

  // True if the message is anywhere in the text. Adds the values of its holes.
  bool Search(std::string_view text, HoleValues* values) const;

 private:
  enum class Hole : uint8_t {
    kNone,
    kInt,
    kSmaller,
    kNumber,
    kBytes,
    kSize,
    kWord,
    kPath,
    kClass,
    kText,
    kLines,
    kEnd,
    kSame,
    kBlanks
  };

  // A literal, and the hole before it.
  struct Part {
    Hole hole = Hole::kNone;
    std::string_view name, literal;
  };

  static Hole HoleByName(std::string_view name);
  static size_t HoleSize(const Part& part, std::string_view rest);

  std::vector<Part> parts_;
};

}  // namespace sparkprof
