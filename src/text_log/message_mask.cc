// SPDX-License-Identifier: Apache-2.0
#include "text_log/message_mask.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text/characters.h"

namespace sparkprof {
namespace {

// Classes of bytes, as bits.
constexpr uint8_t kWord = 1;  // part of a token
constexpr uint8_t kDigit = 2;
constexpr uint8_t kSlash = 4;
constexpr uint8_t kDot = 8;
constexpr uint8_t kLetter = 16;

constexpr std::array<uint8_t, 256> MakeClasses() {
  std::array<uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<size_t>(c)] = kWord | kLetter;
  for (int c = 'A'; c <= 'Z'; ++c) classes[static_cast<size_t>(c)] = kWord | kLetter;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<size_t>(c)] = kWord | kDigit;
  for (int c = 128; c < 256; ++c) classes[static_cast<size_t>(c)] = kWord | kLetter;
  for (const char c : {'_', ':', '@', '$', '#', '%', '+', '-', '\\', '~', '&', '?', '*', '!'}) {
    classes[static_cast<size_t>(c)] = kWord;
  }
  classes['/'] = kWord | kSlash;
  classes['.'] = kWord | kDot;
  return classes;
}
constexpr std::array<uint8_t, 256> kClasses = MakeClasses();

uint8_t ClassOf(char c) { return kClasses[static_cast<uint8_t>(c)]; }

// Words whose names contain a digit.
bool IsNameWithDigit(std::string_view word) {
  constexpr std::string_view kNames[] = {
      "S3A",   "s3a",  "S3",     "s3",      "log4j",    "Log4j",  "log4j2", "Slf4jLogger", "slf4j",   "UTF-8",
      "utf-8", "IPv4", "IPv6",   "SHA-256", "MD5",      "md5",    "sha1",   "SHA1",        "py4j",    "Py4J",
      "LZ4",   "lz4",  "base64", "Base64",  "HTTP/1.1", "Netty4", "x86_64", "EC2",         "ec2",     "k8s",
      "K8s",   "V2",   "v2",     "V1",      "v1",       "Hive2",  "OAuth2", "Java8",       "Python3", "python3"};
  if (word.size() > 12 || word.size() < 2) return false;
  return std::find(std::begin(kNames), std::end(kNames), word) != std::end(kNames);
}

bool IsUnit(std::string_view word) {
  constexpr std::string_view kUnits[] = {"B",   "KB",  "MB", "GB", "TB", "KiB", "MiB", "GiB",
                                         "TiB", "PiB", "ms", "s",  "us", "ns",  "min", "h"};
  return word.size() <= 3 && std::find(std::begin(kUnits), std::end(kUnits), word) != std::end(kUnits);
}

bool IsFileName(std::string_view word) {
  constexpr std::string_view kEnds[] = {"py",  "jar", "zip", "scala", "java", "xml", "conf", "json",       "txt", "csv",
                                        "log", "gz",  "so",  "whl",   "egg",  "sql", "orc",  "properties", "yaml"};
  const std::string_view end = word.substr(word.rfind('.') + 1);
  return std::find(std::begin(kEnds), std::end(kEnds), end) != std::end(kEnds);
}

// "Pool@facade" (an object and its hash), "alice@example.com".
bool HasAddress(std::string_view word) {
  const size_t at = word.find('@');
  return at != std::string_view::npos && at > 0 && at + 1 < word.size();
}

// An address or a hash whose digits all happen to be letters.
bool IsHexNumber(std::string_view word) {
  constexpr size_t kShortestAddress = 8;
  return word.size() >= kShortestAddress && std::all_of(word.begin(), word.end(), IsHexDigit);
}

bool IsParameter(std::string_view word, uint8_t classes) {
  if (HasAddress(word) || IsHexNumber(word)) return true;
  if ((classes & kDigit) != 0) return (classes & kLetter) == 0 || !IsNameWithDigit(word);
  if ((classes & kSlash) != 0) {
    return word.size() > 1 && (word[0] == '/' || word.find(":/") != std::string_view::npos ||
                               std::count(word.begin(), word.end(), '/') > 1);
  }
  if ((classes & kDot) != 0 && (classes & kLetter) != 0) {
    return std::count(word.begin(), word.end(), '.') > 1 || IsFileName(word);
  }
  return word == "true" || word == "false" || word == "localhost";
}

// The end of the bracket that opens at `at`; npos if it does not close.
size_t BracketEndInMessage(std::string_view text, size_t at) {
  const char open = text[at];
  const char close = open == '(' ? ')' : '}';
  int depth = 0;
  for (size_t i = at; i < text.size(); ++i) {
    if (text[i] == open) ++depth;
    if (text[i] == close && --depth == 0) return i;
  }
  return std::string_view::npos;
}

void AppendWildcard(std::string* masked) {
  // A list of parameters is one.
  if (masked->ends_with("<*>, ")) {
    masked->resize(masked->size() - 2);
  } else if (masked->ends_with("<*>,") || masked->ends_with("<*> ")) {
    masked->resize(masked->size() - 1);
  } else if (!masked->ends_with(kWildcard)) {
    masked->append(kWildcard);
  }
}

}  // namespace

void MaskMessage(std::string_view message, std::string* masked) {
  masked->clear();
  size_t at = 0;
  while (at < message.size()) {
    const char c = message[at];
    if ((ClassOf(c) & kWord) == 0) {
      if ((c == '\'' || c == '"') && (at == 0 || (ClassOf(message[at - 1]) & kWord) == 0)) {
        const size_t close = message.find(c, at + 1);
        const bool ends = close != std::string_view::npos &&
                          (close + 1 == message.size() || (ClassOf(message[close + 1]) & (kLetter | kDigit)) == 0);
        if (ends) {
          AppendWildcard(masked);
          at = close + 1;
          continue;
        }
      }
      masked->push_back(c);
      ++at;
      continue;
    }
    size_t end = at;
    uint8_t classes = 0;
    for (; end < message.size() && (ClassOf(message[end]) & kWord) != 0; ++end) classes |= ClassOf(message[end]);
    const size_t next = end;
    while (end > at && (message[end - 1] == '.' || message[end - 1] == ':' || message[end - 1] == '!')) --end;
    const std::string_view word = message.substr(at, end - at);
    const std::string_view tail = message.substr(end, next - end);
    if (IsParameter(word, classes)) {
      AppendWildcard(masked);
      masked->append(tail);
      at = next;
      // "366.3 MB", "12 ms"
      if (tail.empty() && (classes & kLetter) == 0 && at < message.size() && message[at] == ' ') {
        size_t unit = at + 1;
        while (unit < message.size() && (ClassOf(message[unit]) & kLetter) != 0) ++unit;
        if (IsUnit(message.substr(at + 1, unit - at - 1))) at = unit;
      }
    } else {
      masked->append(word).append(tail);
      at = next;
    }
    // The text after a name.
    const bool is_name = tail.empty() && word.size() > 2 && (IsUpper(word[0]) || masked->ends_with(kWildcard));
    if (is_name && at < message.size() && (message[at] == '(' || message[at] == '{')) {
      const size_t close = BracketEndInMessage(message, at);
      if (close != std::string_view::npos) {
        masked->push_back(message[at]);
        masked->append(kWildcard);
        masked->push_back(message[close]);
        at = close + 1;
      }
    }
  }
}

}  // namespace sparkprof
