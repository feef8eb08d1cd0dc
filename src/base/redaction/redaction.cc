// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/redaction.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/redaction/characters.h"
#include "base/redaction/rules.h"
#include "base/redaction/secret_name.h"
#include "base/redaction/secret_value.h"
#include "base/redaction/value_span.h"

namespace sparkprof {
namespace redaction {
namespace {

constexpr size_t kMaxName = 200;
constexpr size_t kMaxTag = 64;
constexpr size_t kMaxUserInfo = 128;
constexpr size_t kMaxCommand = 512;
constexpr size_t kMaxAuthority = 1024;

bool IsNameCharacter(char c) { return IsAlnum(c) || IsOneOf(c, "_.-$"); }

// How a value is connected to its name.
enum class Link {
  kAssigned,  // NAME=VALUE and the like
  kProse,     // NAME: VALUE
  kApart,     // NAME VALUE, NAME is VALUE: quoted, or if it looks like a key or a password
};

struct Found {
  size_t value = 0;
  Link link = Link::kAssigned;
  ValueKind kind = ValueKind::kPlain;
  bool to_tag = false;                    // the value ends with the next tag
  size_t quote = std::string_view::npos;  // opens before the name and may close after the value
};

// A part of a text.
struct Range {
  size_t begin;
  size_t end;
};

class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  // Where the secrets are, ascending.
  std::vector<Range> Run() {
    const Rules& rules = Rules::Get();
    uint32_t hash = text_.size() > 1 ? Rules::Hash(Rules::Hash(0, text_[0]), text_[1]) : 0;
    size_t hashed = 2;  // bytes that `hash` has seen
    size_t at = 0;
    while (at + 2 < text_.size()) {
      if (hashed != at + 2) {
        hash = Rules::Hash(Rules::Hash(0, text_[at]), text_[at + 1]);
        hashed = at + 2;
      }
      hash = Rules::Hash(hash, text_[at + 2]);
      ++hashed;
      if (text_[at] == '@' || rules.MayBegin(hash)) {
        if (!command_values_.empty()) TakeCommandValues(at);
        if (from_ <= at) at = text_[at] == '@' ? UserInfo(at) : Stop(at, rules.Triggers(hash));
        at = std::max(at, from_);
      } else {
        ++at;
      }
    }
    TakeCommandValues(text_.size());
    return std::move(secrets_);
  }

 private:
  char At(size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  // The character before `at`; redacted text looks like its replacement.
  char Before(size_t at) const {
    if (at == 0) return '\0';
    return at == from_ && !secrets_.empty() ? ')' : text_[at - 1];
  }

  void Redact(size_t begin, size_t end) {
    secrets_.push_back({begin, end});
    from_ = end;
  }

  // Tries every literal that may start at `at`. Returns the next position.
  size_t Stop(size_t at, const std::vector<TriggerRule>& triggers) {
    size_t next = at + 1;
    bool is_name = false;
    for (const TriggerRule& trigger : triggers) {
      const bool is_there = trigger.kind == Trigger::kToken ? text_.substr(at).starts_with(trigger.literal)
                                                            : HasAt(text_, at, trigger.literal);
      if (!is_there) continue;
      if (trigger.kind == Trigger::kName) {
        is_name = true;
        continue;
      }
      next = std::max(next, StopAt(at, trigger));
      if (from_ > at) return next;
    }
    return is_name ? std::max(next, Name(at)) : next;
  }

  size_t StopAt(size_t at, const TriggerRule& trigger) {
    const size_t behind = at + trigger.literal.size();
    switch (trigger.kind) {
      case Trigger::kName:
        break;
      case Trigger::kToken:
        return Token(at, Rules::Get().tokens[trigger.row]);
      case Trigger::kUrl:
        return Url(at, behind);
      case Trigger::kOracle:
        return Oracle(behind);
      case Trigger::kPrivateKey:
        return PrivateKey(at);
      case Trigger::kScheme:
        return trigger.literal == "eyj" ? WebToken(at) : Scheme(at, behind, trigger.literal == "bearer");
      case Trigger::kWebhook:
        return Webhook(behind);
      case Trigger::kCommand:
        return Command(at, trigger.literal);
      case Trigger::kIdentifiedBy:
        return IdentifiedBy(behind);
    }
    return at + 1;
  }

  bool IsRedactedAt(size_t at) const { return text_.substr(at).starts_with(kRedacted); }

  // Nothing in front of `at` is part of what was redacted before.
  size_t SkipRedacted(size_t at) {
    from_ = std::max(from_, at + kRedacted.size());
    return from_;
  }

  // The name around `at`, and what is assigned to it.
  size_t Name(size_t at) {
    size_t begin = at;
    while (begin > from_ && at - begin < kMaxName && IsNameCharacter(text_[begin - 1])) --begin;
    size_t end = at;
    while (end < text_.size() && end - at < kMaxName && IsNameCharacter(text_[end])) ++end;
    const size_t next = end;
    // \npassword and %0Apassword: the escape is not part of the name.
    const size_t escape = begin;
    if (begin > from_ && text_[begin - 1] == '\\' && IsOneOf(text_[begin], "nrt") && begin < at) ++begin;
    if (begin > from_ && text_[begin - 1] == '%' && begin + 2 <= at && HexValue(text_[begin]) >= 0 &&
        HexValue(text_[begin + 1]) >= 0) {
      begin += 2;
    }
    bool is_option = text_[begin] == '-' && (begin > escape || !IsAlnum(Before(begin)));
    while (begin < end && IsOneOf(text_[begin], "-.$")) ++begin;
    if (is_option && text_[begin] == 'D' && begin < at && text_[begin - 1] == '-' &&
        (begin < 2 || text_[begin - 2] != '-')) {
      ++begin;
      is_option = false;
    }
    while (end > begin && IsOneOf(text_[end - 1], ".-$")) --end;
    if (end <= begin) return next;
    const std::string_view name = text_.substr(begin, end - begin);
    Secrecy secrecy = SecrecyOf(name, WordBefore(begin));
    if (secrecy == Secrecy::kNone || (begin >= 5 && text_.substr(begin - 5, 5) == "/etc/")) return next;
    const bool is_parameter = Before(begin) == '?' || Before(begin) == '&';
    if (is_parameter && secrecy == Secrecy::kMaybe) secrecy = Secrecy::kStrong;
    std::optional<Found> found = FindValue(begin, end, is_option, is_parameter, secrecy);
    if (!found) return next;
    found->quote = QuoteBefore(begin);
    if (found->to_tag) return RedactToTag(found->value, secrecy, next);
    return RedactValue(*found, name, secrecy, next);
  }

  // "spark.x.password=…" or "--password=…": the quote right before the name.
  size_t QuoteBefore(size_t begin) const {
    while (begin > from_ && text_[begin - 1] == '-') --begin;
    if (begin == from_ || !IsQuote(text_[begin - 1])) return std::string_view::npos;
    size_t quote = begin - 1;
    while (quote > from_ && text_[quote - 1] == '\\') --quote;
    return quote;
  }

  // In "NAME=VALUE", the value extends to the closing quote, unless another assignment is in between.
  void ExtendToQuote(size_t quote, Span* span) const {
    if (quote == std::string_view::npos || span->behind != span->end || !IsBlank(At(span->end))) return;
    const size_t limit = std::min(text_.size(), span->end + kMaxName);
    const size_t end = QuotesEnd(text_.substr(0, limit), quote, span->end);
    if (end == std::string_view::npos) return;
    const std::string_view rest = text_.substr(span->end, end - span->end);
    if (rest.find('=') != std::string_view::npos || rest.find(':') != std::string_view::npos ||
        rest.find(" -") != std::string_view::npos) {
      return;
    }
    span->end = end;
    span->behind = end;
  }

  std::string_view WordBefore(size_t at) const {
    if (at == 0 || at == from_ || text_[at - 1] != ' ') return {};
    const size_t end = at - 1;
    size_t begin = end;
    while (begin > from_ && end - begin < 32 && IsLetter(text_[begin - 1])) --begin;
    return text_.substr(begin, end - begin);
  }

  size_t SkipBlanks(size_t at) const {
    while (at < text_.size() && (IsBlank(text_[at]) || text_[at] == '\0')) ++at;
    return at;
  }

  // Behind the name's closing quote, and bracket: "name", \"name\", ['name'].
  size_t SkipClosing(size_t at, bool* is_quoted) const {
    const Unit unit = UnitAt(text_, at);
    *is_quoted = unit.size > 0 && IsQuote(unit.character);
    const std::string_view quote = text_.substr(std::min(at, text_.size()), unit.size);
    for (int count = 0; *is_quoted && count < 3 && text_.substr(std::min(at, text_.size())).starts_with(quote);
         ++count) {
      at += unit.size;
    }
    if (At(at) == ']') ++at;
    return at;
  }

  std::optional<Found> FindValue(size_t begin, size_t end, bool is_option, bool is_parameter, Secrecy secrecy) const {
    size_t at = end;
    if (At(at) == '#' && IsDigit(At(at + 1))) {  // an attribute of a plan: password#12
      ++at;
      while (IsDigit(At(at))) ++at;
      if (At(at) == 'L') ++at;
    }
    if (const std::optional<size_t> in_tag = FindInTags(begin, at)) return Found{*in_tag, {}, {}, true};
    bool is_quoted = false;
    const size_t closed = SkipClosing(at, &is_quoted);
    const size_t blank = SkipBlanks(closed);
    const ValueKind kind = secrecy == Secrecy::kHeader ? ValueKind::kHeader
                           : is_parameter              ? ValueKind::kUrl
                                                       : ValueKind::kPlain;
    if (const std::optional<size_t> value = FindSibling(blank)) return Found{*value, Link::kAssigned, kind};
    if (const std::optional<Found> assigned = FindAssigned(blank, kind)) return assigned;
    if (At(blank) == ',') {
      const size_t value = SkipBlanks(blank + 1);
      if (is_option || (is_quoted && IsArgument(begin, value))) return Found{value, Link::kAssigned, kind};
      if (!is_quoted && Before(begin) == '(' && value == blank + 1 && At(end) == ',') {
        return Found{value, Link::kAssigned, kind};
      }
      return {};
    }
    if (blank == closed || blank >= text_.size()) return {};
    if (is_option) return Found{blank, Link::kAssigned, kind};
    for (const std::string_view word : {"is ", "was ", "are ", "to "}) {
      if (HasAt(text_, blank, word)) return Found{blank + word.size(), Link::kApart, kind};
    }
    return Found{blank, Link::kApart, kind};
  }

  // = : => := -> == and their encodings, with blanks around.
  std::optional<Found> FindAssigned(size_t at, ValueKind kind) const {
    Unit unit = UnitAt(text_, at);
    if (unit.size == 0) return {};
    size_t behind = at;
    bool is_colon = false;
    if (unit.character == '-' || unit.character == '<') {  // -> and the SQL operator <=>
      const Unit second = UnitAt(text_, at + 1);
      if (unit.character == '<' && (unit.size > 1 || second.character != '=')) return {};
      if (unit.character == '-' && second.character != '>') return {};
      behind = at + 1 + second.size;
      if (At(behind) == '>') ++behind;
    } else if (unit.character == '=' || unit.character == ':') {
      is_colon = unit.character == ':';
      if (is_colon && At(at + unit.size) == ':') return {};  // password::string, Token::parse
      if (unit.size > 1 && kind == ValueKind::kPlain && text_[at] == '%') kind = ValueKind::kEncoded;
      behind = at + unit.size;
      if (At(behind) == '=') ++behind;
      const Unit arrow = UnitAt(text_, behind);
      if (arrow.character == '>' && unit.character == '=') behind += arrow.size;
    } else {
      return {};
    }
    if (is_colon && At(behind) == '/' && At(behind + 1) == '/') return {};
    size_t value = SkipBlanks(behind);
    const bool is_prose = is_colon && value > behind;
    if (value < text_.size() && (text_[value] == '\n' || text_[value] == '\r')) {
      // On the next line only what is quoted.
      while (value < text_.size() && IsSpace(text_[value])) ++value;
      if (!IsQuote(At(value))) return {};
    }
    if (value >= text_.size()) return {};
    return Found{value, is_prose ? Link::kProse : Link::kAssigned, kind};
  }

  // "name":"password","value":"X" and name="password" value="X".
  std::optional<size_t> FindSibling(size_t at) const {
    if (At(at) == ',') at = SkipBlanks(at + 1);
    while (IsSpace(At(at)) && at < text_.size()) ++at;
    Unit quote = UnitAt(text_, at);
    if (IsQuote(quote.character)) at += quote.size;
    if (!HasAt(text_, at, "value")) return {};
    at += 5;
    quote = UnitAt(text_, at);
    if (IsQuote(quote.character)) at += quote.size;
    at = SkipBlanks(at);
    const Unit equals = UnitAt(text_, at);
    if (equals.character != '=' && equals.character != ':') return {};
    return SkipBlanks(at + equals.size);
  }

  // ("name", "X"), ["name", "X"], ["--name", "X"]: `begin` is the start of the name, after its quote.
  bool IsArgument(size_t begin, size_t value) const {
    size_t at = begin;
    while (at > from_ && (IsQuote(text_[at - 1]) || text_[at - 1] == '\\')) --at;
    while (at > from_ && IsBlank(text_[at - 1])) --at;
    if (Before(at) != '(' && Before(at) != '[') return false;
    const Unit quote = UnitAt(text_, value);
    if (!IsQuote(quote.character)) return !IsOneOf(At(value), ")]") && Before(at) == '(';
    const Span span = ValueAt(text_, value, ValueKind::kPlain);
    const size_t behind = SkipBlanks(span.behind);
    return behind >= text_.size() || IsOneOf(At(behind), ")]\n\\");
  }

  // The position after the tag at `at`; npos if there is none.
  size_t SkipTag(size_t at) const {
    if (UnitAt(text_, at).character != '<') return std::string_view::npos;
    const size_t limit = std::min(text_.size(), at + kMaxTag);
    for (size_t i = at; i < limit; ++i) {
      const Unit unit = UnitAt(text_, i);
      if (unit.character == '>') return i + unit.size;
    }
    return std::string_view::npos;
  }

  // <name>X</name>, and <td>name</td> <td>X</td>.
  std::optional<size_t> FindInTags(size_t begin, size_t end) const {
    const Unit unit = UnitAt(text_, end);
    if (unit.character == '>') {
      const char before = Before(begin);
      if (before == '<' || before == ':' || before == ';') return end + unit.size;
      return {};
    }
    if (IsSpace(At(end)) && Before(begin) == '<') {
      size_t at = end;
      while (at < text_.size() && at - end < kMaxTag && !IsOneOf(text_[at], "<>\n")) ++at;
      if (At(at) == '>' && At(at - 1) != '/' && text_.substr(end, at - end).find('=') != std::string_view::npos &&
          FindIgnoringCase(text_.substr(end, at - end), "value") == std::string_view::npos) {
        return at + 1;
      }
      return {};
    }
    if (unit.character != '<' || At(end + unit.size) != '/') return {};
    size_t at = SkipTag(end);
    if (at == std::string_view::npos) return {};
    while (at < text_.size() && (IsSpace(text_[at]) || (text_[at] == '\\' && IsOneOf(At(at + 1), "nrt")))) {
      at += text_[at] == '\\' ? 2 : 1;
    }
    at = SkipTag(at);
    if (at == std::string_view::npos || At(at) == '<') return {};
    return at;
  }

  size_t RedactToTag(size_t value, Secrecy secrecy, size_t next) {
    size_t begin = value;
    size_t end = value;
    if (HasAt(text_, value, "<![cdata[")) {
      begin = value + 9;
      end = std::min(text_.find("]]>", begin), text_.size());
    } else {
      while (end < text_.size() && text_[end] != '<' && !HasAt(text_, end, "&lt;") && !HasAt(text_, end, "\\u003c")) {
        ++end;
      }
      while (begin < end && IsSpace(text_[begin])) ++begin;
      while (end > begin && IsSpace(text_[end - 1])) --end;
    }
    if (IsRedactedAt(begin)) return SkipRedacted(begin);
    if (IsHarmless(text_.substr(begin, end - begin), secrecy)) return next;
    Redact(begin, end);
    return end;
  }

  // "Token: expired at 12:00" is a sentence: a word without digits, followed by another word.
  bool IsSentence(const Span& span) const {
    const std::string_view value = text_.substr(span.begin, span.end - span.begin);
    if (value.size() > 20 || span.behind != span.end || At(span.end) != ' ' || !IsLetter(At(span.end + 1)))
      return false;
    return IsLetter(value.front()) && std::all_of(value.begin() + 1, value.end(), IsLower);
  }

  size_t RedactValue(const Found& found, std::string_view name, Secrecy secrecy, size_t next) {
    if (secrecy == Secrecy::kMaybe) return RedactKey(found.value, next);
    const Unit quote = UnitAt(text_, found.value);
    const bool is_quoted = quote.size > 0 && IsQuote(quote.character);
    if (found.link == Link::kApart && secrecy == Secrecy::kStrong && !is_quoted && IsPasswordName(name)) {
      return RedactPassword(found.value, next);
    }
    if (found.link == Link::kApart && (secrecy == Secrecy::kWeak || !is_quoted)) return RedactKey(found.value, next);
    if (IsRedactedAt(found.value)) return SkipRedacted(found.value);
    if (is_quoted && IsRedactedAt(found.value + quote.size)) return SkipRedacted(found.value + quote.size);
    Span span = ValueAt(text_, found.value, found.kind);
    if (IsRedactedAt(span.begin)) return SkipRedacted(span.begin);
    ExtendScheme(&span);
    if (!is_quoted && found.link == Link::kAssigned) ExtendToQuote(found.quote, &span);
    const std::string_view value = text_.substr(span.begin, span.end - span.begin);
    if (IsHarmless(value, secrecy)) return next;
    if (IsDirectoryVariable(name) && value.starts_with('/')) return next;
    if (found.link == Link::kProse && secrecy == Secrecy::kWeak && IsSentence(span)) return next;
    if (value.starts_with("--")) return next;
    Redact(span.begin, span.end);
    return span.end;
  }

  static bool IsDirectoryVariable(std::string_view name) { return name == "PWD" || name == "OLDPWD"; }

  // "Bearer X" without quotes: the scheme is not the value.
  void ExtendScheme(Span* span) const {
    const std::string_view value = text_.substr(span->begin, span->end - span->begin);
    if (span->behind != span->end || At(span->end) != ' ' || value.size() > 16) return;
    std::string lower(value);
    std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
    if (!Rules::Get().scheme.Contains(lower)) return;
    *span = ValueAt(text_, SkipBlanks(span->end), ValueKind::kPlain);
  }

  static bool IsPasswordName(std::string_view name) {
    return FindIgnoringCase(name, "pass") != std::string_view::npos ||
           FindIgnoringCase(name, "pwd") != std::string_view::npos;
  }

  // "the password hunter2", "password is hunter2": at least six characters with a letter and a digit.
  size_t RedactPassword(size_t value, size_t next) {
    size_t end = value;
    bool has_letter = false;
    bool has_digit = false;
    while (end < text_.size() && !IsSpace(text_[end]) && !IsQuote(text_[end]) && !IsOneOf(text_[end], ",;()<>=\\")) {
      has_letter = has_letter || IsLetter(text_[end]);
      has_digit = has_digit || IsDigit(text_[end]);
      ++end;
    }
    if (end < value + 6 || !has_letter || !has_digit || At(end) == '=' || At(end) == '(') return next;
    Redact(value, end);
    return end;
  }

  // A value that is a secret only by its shape.
  size_t RedactKey(size_t value, size_t next) {
    const Unit quote = UnitAt(text_, value);
    const size_t begin = quote.size > 0 && IsQuote(quote.character) ? value + quote.size : value;
    size_t end = begin;
    while (end < text_.size() && (IsAlnum(text_[end]) || IsOneOf(text_[end], "+/=_-.%"))) ++end;
    while (end > begin && text_[end - 1] == '.') --end;
    const Unit after = UnitAt(text_, end);
    if (begin > value && !IsQuote(after.character)) return next;
    if (end < text_.size() && !IsQuote(after.character) && !IsSpace(text_[end]) &&
        !IsOneOf(text_[end], ",;)]}.&<\\\"'")) {
      return next;
    }
    if (IsHarmless(text_.substr(begin, end - begin), Secrecy::kMaybe)) return next;
    Redact(begin, end);
    return end;
  }

  static bool IsOfAlphabet(char c, char alphabet) {
    if (alphabet == 'h') return HexValue(c) >= 0 || c == '-';
    if (IsAlnum(c) || c == '_' || c == '-') return true;
    return alphabet == 'd' && IsOneOf(c, ".~+/=");
  }

  size_t Token(size_t at, const TokenRule& rule) {
    if (at > from_ && IsAlnum(text_[at - 1]) && !IsEscapeBefore(at)) return at + 1;
    size_t end = at + rule.beginning.size();
    const size_t begin = end;
    while (end < text_.size() && IsOfAlphabet(text_[end], rule.alphabet)) ++end;
    while (end > begin && text_[end - 1] == '.') --end;
    const std::string_view body = text_.substr(begin, end - begin);
    if (body.size() < rule.least) return at + 1;
    Redact(at, end);
    return end;
  }

  // \nghp_… and %20ghp_…: the letter before is part of an escape.
  bool IsEscapeBefore(size_t at) const {
    if (at >= from_ + 2 && text_[at - 2] == '\\' && IsOneOf(text_[at - 1], "nrt")) return true;
    return at >= from_ + 3 && text_[at - 3] == '%' && HexValue(text_[at - 2]) >= 0 && HexValue(text_[at - 1]) >= 0;
  }

  // eyJ….eyJ….…
  size_t WebToken(size_t at) {
    if (!text_.substr(at).starts_with("eyJ") || (at > from_ && IsAlnum(text_[at - 1]) && !IsEscapeBefore(at))) {
      return at + 1;
    }
    size_t end = at;
    int dots = 0;
    for (; end < text_.size(); ++end) {
      if (text_[end] == '.') {
        ++dots;
      } else if (!IsOfAlphabet(text_[end], 'w')) {
        break;
      }
    }
    while (end > at && text_[end - 1] == '.') --end;
    if (end - at < 20 || dots == 0) return std::max(at + 1, end);
    Redact(at, end);
    return end;
  }

  // Bearer X, Basic X: a token by its shape, and base64 of USER:PASSWORD.
  size_t Scheme(size_t at, size_t behind, bool is_bearer) {
    if ((at > from_ && IsAlnum(text_[at - 1]) && !IsEscapeBefore(at)) || behind >= text_.size()) return at + 1;
    size_t begin = behind;
    if (IsBlank(text_[begin])) {
      begin = SkipBlanks(begin);
    } else if (text_[begin] == '+' || HasAt(text_, begin, "%20")) {
      begin += text_[begin] == '+' ? 1 : 3;
    } else {
      return at + 1;
    }
    size_t end = begin;
    while (end < text_.size() && IsOfAlphabet(text_[end], 'd')) ++end;
    while (end > begin && text_[end - 1] == '.') --end;
    const std::string_view value = text_.substr(begin, end - begin);
    const bool has_digit = std::any_of(value.begin(), value.end(), IsDigit);
    const bool has_mark = std::any_of(value.begin(), value.end(), [](char c) { return !IsAlnum(c); });
    const bool is_mixed = value.size() > 1 && std::any_of(value.begin() + 1, value.end(), IsUpper) &&
                          std::any_of(value.begin(), value.end(), IsLower);
    const bool is_secret = is_bearer ? value.size() >= 6 && value.find('=') != 5 &&
                                           (has_digit || is_mixed || (has_mark && value.size() >= 16))
                                     : value.size() >= 6 && IsEncodedUserAndPassword(value);
    if (!is_secret) return at + 1;
    Redact(begin, end);
    return end;
  }

  // The end of a URL in a text, at most at `limit`.
  size_t UrlEnd(size_t at, size_t limit = std::string_view::npos) const {
    while (at < text_.size() && at < limit && !IsSpace(text_[at]) && !IsQuote(text_[at]) && !IsOneOf(text_[at], "<>\\"))
      ++at;
    return at;
  }

  // The last @ of [begin, end), or npos.
  size_t LastAt(size_t begin, size_t end) const {
    const size_t last = text_.substr(begin, end - begin).rfind('@');
    return last == std::string_view::npos ? last : begin + last;
  }

  // scheme://user:PASSWORD@host: up to the last @ of the URL, because passwords may contain one. A number after the
  // first colon is a port.
  size_t Url(size_t at, size_t begin) {
    const bool has_scheme = at > from_ && IsAlnum(text_[at - 1]);
    if (!has_scheme) return at + 1;
    size_t colon = begin;
    while (colon < text_.size() && colon - begin < kMaxUserInfo && !IsOneOf(text_[colon], ":/?#@[,") &&
           !IsSpace(text_[colon]) && !IsQuote(text_[colon]) && !IsOneOf(text_[colon], "<>\\")) {
      ++colon;
    }
    if (At(colon) == '@') return LoneUser(at, begin, colon);
    if (At(colon) != ':') return begin;
    size_t port = colon + 1;
    while (IsDigit(At(port))) ++port;
    const bool is_port =
        port > colon + 1 && (port >= text_.size() || !(IsAlnum(text_[port]) || IsOneOf(text_[port], "@:!$%&*+=~_-.^")));
    if (is_port) return begin;
    const size_t end = UrlEnd(colon + 1, colon + kMaxAuthority);
    const size_t last = LastAt(colon + 1, end);
    if (last == std::string_view::npos || last <= colon + 1) return begin;
    if (IsRedactedAt(colon + 1) && last == colon + 1 + kRedacted.size()) return SkipRedacted(colon + 1);
    Redact(colon + 1, last);
    return last;
  }

  // https://TOKEN@host
  size_t LoneUser(size_t at, size_t begin, size_t end) {
    const bool is_web = at >= 4 && (HasAt(text_, at - 4, "http") || (at >= 5 && HasAt(text_, at - 5, "https")));
    if (!is_web || !LooksLikeKey(text_.substr(begin, end - begin))) return begin;
    Redact(begin, end);
    return end;
  }

  // jdbc:oracle:thin:user/PASSWORD@host
  size_t Oracle(size_t begin) {
    size_t slash = begin;
    while (slash < text_.size() && slash - begin < kMaxUserInfo && !IsOneOf(text_[slash], "/@:") &&
           !IsSpace(text_[slash]) && !IsQuote(text_[slash])) {
      ++slash;
    }
    if (At(slash) != '/') return begin;
    size_t from = slash + 1;
    if (At(from) == '"' || At(from) == '\\') {
      const Span span = ValueAt(text_, from, ValueKind::kPlain);
      if (IsRedactedAt(span.begin)) return SkipRedacted(span.begin);
      if (At(span.behind) == '@' && span.end > span.begin) {
        Redact(span.begin, span.end);
        return span.end;
      }
    }
    const size_t last = LastAt(from, UrlEnd(from, from + kMaxAuthority));
    if (last == std::string_view::npos || last <= from) return begin;
    if (IsRedactedAt(from)) return SkipRedacted(from);
    Redact(from, last);
    return last;
  }

  // user:PASSWORD@host, without a scheme before it.
  size_t UserInfo(size_t at) {
    size_t begin = at;
    while (begin > from_ && at - begin < kMaxUserInfo && !IsSpace(text_[begin - 1]) && !IsQuote(text_[begin - 1]) &&
           !IsOneOf(text_[begin - 1], "=,;()<>{}[]/\\|&?")) {
      --begin;
    }
    const size_t colon = text_.substr(0, at).find(':', begin);
    if (colon == std::string_view::npos || colon == begin || at - colon < 4) return at + 1;
    const std::string_view user = text_.substr(begin, colon - begin);
    if (!std::all_of(user.begin(), user.end(), [](char c) { return IsAlnum(c) || IsOneOf(c, "._-"); })) return at + 1;
    std::string lower(user);
    std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
    if (Rules::Get().label.Contains(lower)) return at + 1;
    size_t end = at + 1;
    bool has_dot = false;
    while (end < text_.size() && (IsAlnum(text_[end]) || IsOneOf(text_[end], ".-_"))) {
      has_dot = has_dot || (text_[end] == '.' && IsAlnum(At(end + 1)));
      ++end;
    }
    const bool has_port = At(end) == ':' && IsDigit(At(end + 1));
    const std::string_view password = text_.substr(colon + 1, at - colon - 1);
    if (end == at + 1) return at + 1;
    const bool is_host = has_dot || has_port || HasAt(text_, at + 1, "localhost") || At(end) == '/';
    const bool is_name = std::all_of(password.begin(), password.end(), [](char c) { return IsLower(c) || c == '.'; });
    if (!is_host || (is_name && !has_port)) return at + 1;
    Redact(colon + 1, at);
    return at + 1;
  }

  // -----BEGIN … PRIVATE KEY----- to its end, or to the end of the text.
  size_t PrivateKey(size_t at) {
    const size_t header = std::min(text_.size(), at + kMaxTag);
    if (FindIgnoringCase(text_.substr(at, header - at), "private key") == std::string_view::npos) return at + 1;
    const size_t last = FindIgnoringCase(text_, "-----end", at);
    size_t end = text_.size();
    if (last != std::string_view::npos) {
      const size_t dashes = text_.find("-----", last + 5);
      if (dashes != std::string_view::npos) end = dashes + 5;
    }
    Redact(at, end);
    return end;
  }

  size_t Webhook(size_t begin) {
    const size_t end = UrlEnd(begin);
    if (end == begin) return begin;
    if (IsRedactedAt(begin)) return SkipRedacted(begin);
    Redact(begin, end);
    return end;
  }

  // IDENTIFIED BY 'X', IDENTIFIED BY X
  size_t IdentifiedBy(size_t behind) {
    const size_t value = SkipBlanks(behind);
    if (value == behind || value >= text_.size() || HasAt(text_, value, "password ")) return behind;
    const Span span = ValueAt(text_, value, ValueKind::kPlain);
    if (IsRedactedAt(span.begin)) return SkipRedacted(span.begin);
    if (IsHarmless(text_.substr(span.begin, span.end - span.begin), Secrecy::kStrong)) return behind;
    Redact(span.begin, span.end);
    return span.end;
  }

  // Records the secret values of the command's options; other rules are applied first.
  size_t Command(size_t at, std::string_view command) {
    const size_t behind = at + command.size();
    if (at > from_ && (IsAlnum(text_[at - 1]) || IsOneOf(text_[at - 1], "_.-")) && !IsEscapeBefore(at)) return at + 1;
    if (!IsSpace(At(behind)) || behind >= text_.size()) return at + 1;
    const size_t limit = std::min(text_.size(), behind + kMaxCommand);
    for (size_t i = behind; i < limit && text_[i] != '\n'; ++i) {
      if (text_[i] != '-' || !IsSpace(text_[i - 1])) continue;
      for (const CommandRule& rule : Rules::Get().commands) {
        if (rule.command != command || !text_.substr(i).starts_with(rule.option)) continue;
        const size_t glued = i + rule.option.size();
        const bool is_apart = IsSpace(At(glued)) && glued < text_.size();
        const bool is_assigned = At(glued) == '=' && rule.option.starts_with("--");
        if (rule.form == '+' && is_apart) continue;
        if ((rule.form == '-' || rule.form == ':') && !is_apart && !is_assigned) continue;
        const size_t value = is_apart ? SkipBlanks(glued) : is_assigned ? glued + 1 : glued;
        if (value < text_.size() && text_[value] != '-' && text_[value] != '\n') {
          RememberCommandValue(value, rule.form == ':');
        }
      }
    }
    return behind;
  }

  void RememberCommandValue(size_t value, bool has_user) {
    Span span = ValueAt(text_, value, ValueKind::kPlain);
    if (has_user) {
      const size_t colon = text_.substr(0, span.end).find(':', span.begin);
      if (colon == std::string_view::npos) return;
      span.begin = colon + 1;
    }
    if (span.end == span.begin || IsRedactedAt(span.begin)) return;
    const auto later = std::upper_bound(command_values_.begin(), command_values_.end(), span.begin,
                                        [](size_t begin, const Span& other) { return begin < other.begin; });
    command_values_.insert(later, span);
  }

  // Redacts the recorded values that start before `at`.
  void TakeCommandValues(size_t at) {
    while (!command_values_.empty() && command_values_.front().begin < at) {
      const Span span = command_values_.front();
      command_values_.erase(command_values_.begin());
      if (span.begin >= from_) Redact(span.begin, span.end);
    }
  }

  std::string_view text_;
  std::vector<Range> secrets_;
  size_t from_ = 0;                   // everything before it is decided
  std::vector<Span> command_values_;  // ascending
};

// A text decoded from URLs, HTML and CSV (%22, &quot;, ""), with the positions of its characters in the encoded text.
struct Decoded {
  std::string text;
  std::vector<size_t> origin;  // one more than `text` has characters
};

// The number of doubled quotes at `at`, unless they are an empty string; 1 if it is not a run of quotes.
size_t DoubledQuotes(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && text[end] == '"') ++end;
  if (end < at + 2) return 1;
  const bool opens = at == 0 || IsSpace(text[at - 1]) || IsOneOf(text[at - 1], ",;:=([{");
  const bool closes = end == text.size() || IsSpace(text[end]) || IsOneOf(text[end], ",;)]}");
  return opens && closes ? 1 : end - at;
}

// Nothing when `text` has no encoded character.
std::optional<Decoded> Decode(std::string_view text) {
  size_t at = 0;
  if (text.find('%') == std::string_view::npos && text.find('&') == std::string_view::npos &&
      text.find("\"\"") == std::string_view::npos) {
    return std::nullopt;
  }
  Decoded decoded;
  bool changed = false;
  for (at = 0; at < text.size();) {
    if (const size_t quotes = text[at] == '"' ? DoubledQuotes(text, at) : 1; quotes > 1) {
      changed = true;
      for (size_t i = 0; i < quotes; i += 2) {
        decoded.text += '"';
        decoded.origin.push_back(at + i);
      }
      at += quotes;
      continue;
    }
    const Unit unit = DecodeAt(text, at);
    changed = changed || unit.size > 1;
    decoded.text += unit.character;
    decoded.origin.push_back(at);
    at += unit.size;
  }
  if (!changed) return std::nullopt;
  decoded.origin.push_back(text.size());
  return decoded;
}

// Secrets of the text and of its decoded forms.
std::vector<Range> SecretsOf(std::string_view text) {
  constexpr int kMaxEncodings = 4;
  std::vector<Range> secrets = Scan(text).Run();
  std::optional<Decoded> decoded = Decode(text);
  for (int depth = 0; decoded && depth < kMaxEncodings; ++depth) {
    for (const Range& secret : Scan(decoded->text).Run()) {
      secrets.push_back({decoded->origin[secret.begin], decoded->origin[secret.end]});
    }
    std::optional<Decoded> further = Decode(decoded->text);
    if (further) {
      for (size_t& origin : further->origin) origin = decoded->origin[origin];
    }
    decoded = std::move(further);
  }
  std::sort(secrets.begin(), secrets.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  return secrets;
}

}  // namespace
}  // namespace redaction

std::optional<std::string> RedactIfNeeded(std::string_view text) {
  const std::vector<redaction::Range> secrets = redaction::SecretsOf(text);
  if (secrets.empty()) return std::nullopt;
  std::string redacted;
  size_t copied = 0;
  for (const redaction::Range& secret : secrets) {
    if (secret.begin > copied || copied == 0) {
      redacted.append(text.substr(copied, secret.begin - copied)).append(kRedacted);
    }
    copied = std::max(copied, secret.end);
  }
  return redacted.append(text.substr(copied));
}

std::string RedactText(std::string_view text) {
  std::optional<std::string> redacted = RedactIfNeeded(text);
  return redacted ? std::move(*redacted) : std::string(text);
}

bool RedactInPlace(std::string* text) {
  std::optional<std::string> redacted = RedactIfNeeded(*text);
  if (!redacted) return false;
  *text = std::move(*redacted);
  return true;
}

std::pair<std::string, std::string> RedactLines(std::string_view first, std::string_view further) {
  std::string text(first);
  text.append("\n").append(further);
  RedactInPlace(&text);
  const size_t newline = std::min(text.find('\n'), text.size());
  return {text.substr(0, newline), text.substr(std::min(newline + 1, text.size()))};
}

bool IsSecretName(std::string_view name) {
  return redaction::SparkRedacts(name) || redaction::SecrecyOf(name) >= redaction::Secrecy::kWeak;
}

std::string RedactSetting(std::string_view name, std::string_view value) {
  if (value.empty()) return {};
  // The class path is a setting for each jar.
  if (redaction::SparkRedacts(name) && !name.ends_with(".jar")) return std::string(kRedacted);
  if (!redaction::IsHarmless(value, redaction::SecrecyOf(name))) return std::string(kRedacted);
  return RedactText(value);
}

}  // namespace sparkprof
