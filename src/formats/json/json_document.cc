// SPDX-License-Identifier: Apache-2.0
#include "formats/json/json_document.h"

#include <fmt/format.h>

#include "base/text/text.h"
#include "formats/read_input.h"

namespace sparkprof {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kDigits = "0123456789";

bool IsOneOf(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

// Scans a document token by token; each step returns whether the token is complete; if not, at() is the position.
class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text) : text_(text) {}

  size_t at() const { return at_; }
  bool AtEnd() const { return at_ >= text_.size(); }
  char Next() const { return text_[at_]; }
  void SkipBlanks() { Skip(kBlanks); }

  bool Take(char wanted) {
    if (AtEnd() || Next() != wanted) return false;
    ++at_;
    return true;
  }

  bool String() {
    if (!Take('"')) return false;
    while (!AtEnd()) {
      const char c = Next();
      if (static_cast<unsigned char>(c) < ' ') return false;
      if (c == '\\') {
        if (!Escape()) return false;
        continue;
      }
      if (!Character()) return false;
      if (c == '"') return true;
    }
    return false;
  }

  // A number, true, false or null.
  bool Scalar() {
    for (const std::string_view word : {"true", "false", "null"}) {
      if (AtEnd() || Next() != word[0]) continue;
      for (const char c : word) {
        if (!Take(c)) return false;
      }
      return true;
    }
    Take('-');
    if (!Take('0') && !Digits()) return false;
    if (Take('.') && !Digits()) return false;
    if (Take('e') || Take('E')) {
      if (!Take('-')) Take('+');
      return Digits();
    }
    return true;
  }

 private:
  void Skip(std::string_view set) {
    while (!AtEnd() && IsOneOf(Next(), set)) ++at_;
  }
  bool Digits() {
    const size_t begin = at_;
    Skip(kDigits);
    return at_ > begin;
  }
  bool Escape() {
    ++at_;
    if (AtEnd() || !IsOneOf(Next(), "\"\\/bfnrtu")) return false;
    if (text_[at_++] != 'u') return true;
    for (int digit = 0; digit < 4; ++digit, ++at_) {
      if (AtEnd() || !IsOneOf(Next(), "0123456789abcdefABCDEF")) return false;
    }
    return true;
  }
  // One character of UTF-8.
  bool Character() {
    constexpr size_t kLongest = 4;
    for (size_t size = 1; size <= kLongest; ++size) {
      if (!IsUtf8(text_.substr(at_, size))) continue;
      at_ += size;
      return true;
    }
    return false;
  }

  std::string_view text_;
  size_t at_ = 0;
};

// Whether `text` is an array that lacks nothing but its "]", perhaps after a comma.
bool IsOpenArray(std::string_view text, std::string_view closed) {
  std::string_view body = Trim(text);
  if (body.ends_with(',')) body.remove_suffix(1);
  return body.starts_with('[') && Trim(body).size() + 1 == Trim(closed).size() && closed.ends_with(']');
}

}  // namespace

size_t FindJsonDamage(std::string_view text) {
  JsonScanner scanner(text);
  std::string open;        // the brackets that close what is open
  bool is_behind = false;  // a value that has been read
  bool may_close = false;  // an object or array that has just been opened
  while (true) {
    scanner.SkipBlanks();
    if (is_behind && open.empty()) return scanner.AtEnd() ? std::string_view::npos : scanner.at();
    if ((is_behind || may_close) && scanner.Take(open.back())) {
      open.pop_back();
      is_behind = true;
      may_close = false;
      continue;
    }
    if (is_behind && !scanner.Take(',')) return scanner.at();
    is_behind = may_close = false;
    scanner.SkipBlanks();
    if (!open.empty() && open.back() == '}') {
      if (!scanner.String()) return scanner.at();
      scanner.SkipBlanks();
      if (!scanner.Take(':')) return scanner.at();
      scanner.SkipBlanks();
    }
    if (scanner.Take('{')) {
      open += '}';
      may_close = true;
    } else if (scanner.Take('[')) {
      open += ']';
      may_close = true;
    } else {
      const bool is_string = !scanner.AtEnd() && scanner.Next() == '"';
      if (!(is_string ? scanner.String() : scanner.Scalar())) return scanner.at();
      is_behind = true;
    }
  }
}

std::string CloseJson(std::string_view text) {
  std::string open, open_then;
  size_t whole = 0;
  bool in_string = false;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '{' || c == '[') open += c == '{' ? '}' : ']';
    const bool closes = (c == '}' || c == ']') && !open.empty();
    if (closes) open.pop_back();
    if (closes || c == ',') {
      whole = closes ? at + 1 : at;
      open_then = open;
    }
  }
  return std::string(text.substr(0, whole)).append(open_then.rbegin(), open_then.rend());
}

Result<void> JsonDocument::Read(ByteSource* source, const Options& options, ProfileBuilder* builder) {
  const Result<std::string> read = ReadWhole(source, kMaxJsonSize, builder);
  if (!read) return tl::unexpected(read.error());
  const std::string& bytes = *read;
  const auto parse = [&](const std::string& text) { return parser_.Parse(text, options.max_depth).get(root_); };
  simdjson::error_code error = parse(bytes);
  if (error == simdjson::SUCCESS) return {};
  is_cut_ = true;
  // Damage that only the parser reports (numbers that are too large) has no position.
  const size_t found = FindJsonDamage(bytes);
  const size_t offset = found == std::string::npos ? 0 : found;
  const std::string what =
      bytes.size() == kMaxJsonSize && offset == bytes.size()
          ? fmt::format("offset {}: expected at most {} MiB of {}", offset, kMaxJsonSize >> 20, options.format)
          : fmt::format("offset {}: expected {}, found {}", offset, options.format,
                        offset == bytes.size() ? std::string_view("its end") : simdjson::error_message(error));
  const std::string closed = CloseJson(std::string_view(bytes).substr(0, offset));
  const bool is_whole = options.may_end_in_array && offset == bytes.size() && IsOpenArray(bytes, closed);
  if (!is_whole) {
    if (Result<void> kept = builder->Damaged(what); !kept) return kept;
  }
  error = parse(closed);
  if (error != simdjson::SUCCESS) return Fail(fmt::format("{}: {}", builder->options().name, what));
  return {};
}

}  // namespace sparkprof
