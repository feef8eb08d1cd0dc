// SPDX-License-Identifier: Apache-2.0
#include "server/querier/label_selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>

#include "base/text/characters.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxSelectorBytes = 64 << 10;
constexpr size_t kMaxMatchers = 64;
constexpr int64_t kMaxExpressionBytes = 2 << 20;  // memory of a compiled expression

class SelectorParser {
 public:
  explicit SelectorParser(std::string_view text) : text_(text) {}

  Result<LabelMatchers> Parse() {
    LabelMatchers matchers;
    SkipBlanks();
    if (AtEnd()) return matchers;
    if (!Take("{")) return Expected("{");
    for (;;) {
      SkipBlanks();
      if (Take("}")) break;
      if (matchers.size() == kMaxMatchers) {
        return Fail(fmt::format("selector: more than {} conditions", kMaxMatchers));
      }
      Result<LabelMatcher> matcher = ParseMatcher();
      if (!matcher) return tl::unexpected(matcher.error());
      matchers.push_back(std::move(*matcher));
      SkipBlanks();
      if (!Take(",") && (AtEnd() || text_[at_] != '}')) return Expected(", or }");
    }
    SkipBlanks();
    if (!AtEnd()) return Expected("the end");
    return matchers;
  }

 private:
  tl::unexpected<Error> Expected(std::string_view what) const {
    return Fail(fmt::format("selector: offset {}: expected {}, found '{}'", at_, what,
                            ToOneLine(Shorten(ToUtf8(text_.substr(at_)), 20))));
  }

  bool AtEnd() const { return at_ == text_.size(); }
  void SkipBlanks() {
    while (!AtEnd() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool Take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  bool IsAtQuote() const { return !AtEnd() && (text_[at_] == '"' || text_[at_] == '\'' || text_[at_] == '`'); }

  Result<LabelMatcher> ParseMatcher() {
    LabelMatcher matcher;
    Result<std::string> name = IsAtQuote() ? ParseText() : ParseLabelName();
    if (!name) return tl::unexpected(name.error());
    matcher.name = std::move(*name);
    SkipBlanks();
    bool is_expression = false;
    if (Take("=~")) {
      is_expression = true;
    } else if (Take("!~")) {
      is_expression = matcher.is_negated = true;
    } else if (Take("!=")) {
      matcher.is_negated = true;
    } else if (!Take("=")) {
      return Expected("=, !=, =~ or !~");
    }
    SkipBlanks();
    if (!IsAtQuote()) return Expected("a quoted value");
    Result<std::string> value = ParseText();
    if (!value) return tl::unexpected(value.error());
    matcher.value = std::move(*value);
    if (is_expression) {
      RE2::Options options;
      options.set_log_errors(false);
      options.set_dot_nl(true);
      options.set_max_mem(kMaxExpressionBytes);
      auto expression = std::make_shared<RE2>(matcher.value, options);
      if (!expression->ok()) {
        return Fail(fmt::format("selector: invalid regular expression '{}': {}",
                                ToOneLine(Shorten(ToUtf8(matcher.value), 100)), expression->error()));
      }
      matcher.expression = std::move(expression);
    }
    return matcher;
  }

  Result<std::string> ParseLabelName() {
    const size_t begin = at_;
    while (!AtEnd() && (IsAlnum(text_[at_]) || text_[at_] == '_')) ++at_;
    if (at_ == begin || IsDigit(text_[begin])) {
      at_ = begin;
      return Expected("the name of a label");
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  // Parses a quoted text with Go's escapes, or one in backquotes without escapes.
  Result<std::string> ParseText() {
    const char quote = text_[at_++];
    std::string text;
    for (; !AtEnd(); ++at_) {
      const char c = text_[at_];
      if (c == quote) {
        ++at_;
        return text;
      }
      if (c != '\\' || quote == '`') {
        text += c;
        continue;
      }
      ++at_;
      if (AtEnd()) break;
      if (!AppendEscape(&text)) return Expected("an escape sequence after the backslash");
    }
    return Expected(fmt::format("the closing {}", quote));
  }

  // Leaves at_ on the last character of the escape.
  bool AppendEscape(std::string* text) {
    constexpr std::string_view kNames = "abfnrtv\\\"'", kCharacters = "\a\b\f\n\r\t\v\\\"'";
    const char c = text_[at_];
    if (const size_t known = kNames.find(c); known != std::string_view::npos) {
      *text += kCharacters[known];
      return true;
    }
    const bool is_octal = c >= '0' && c <= '7';
    const size_t digits = is_octal ? 3 : c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    const std::string_view number = text_.substr(at_ + (is_octal ? 0 : 1), digits);
    uint32_t value = 0;
    const char* const end = number.data() + number.size();
    const auto [stop, error] = std::from_chars(number.data(), end, value, is_octal ? 8 : 16);
    const bool is_byte = is_octal || c == 'x';
    const bool is_valid = is_byte ? value < 0x100 : value < 0x110000 && (value < 0xD800 || value > 0xDFFF);
    if (digits == 0 || number.size() < digits || stop != end || error != std::errc() || !is_valid) return false;
    at_ += digits - (is_octal ? 1 : 0);
    if (is_byte) {
      *text += static_cast<char>(value);
    } else {
      AppendUtf8(value, text);
    }
    return true;
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

bool LabelMatcher::Matches(std::string_view text) const {
  const bool is_match =
      expression ? RE2::FullMatch(re2::StringPiece(text.data(), text.size()), *expression) : text == value;
  return is_match != is_negated;
}

Result<LabelMatchers> ParseSelector(std::string_view text) {
  if (text.size() > kMaxSelectorBytes) return Fail(fmt::format("selector: longer than {} bytes", kMaxSelectorBytes));
  return SelectorParser(text).Parse();
}

bool MatchesLabel(const LabelMatchers& matchers, std::string_view name, std::string_view value) {
  return std::all_of(matchers.begin(), matchers.end(),
                     [&](const LabelMatcher& matcher) { return matcher.name != name || matcher.Matches(value); });
}

}  // namespace sparkprof
