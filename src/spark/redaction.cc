// SPDX-License-Identifier: Apache-2.0
#include "spark/redaction.h"

#include <algorithm>

namespace sparkprof {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The part of an assignment's name that is left of the '=' at `equals`.
std::string_view NameBefore(std::string_view text, size_t equals) {
  size_t begin = equals;
  while (begin > 0 && std::string_view(" \t\n\"',;&?").find(text[begin - 1]) == std::string_view::npos) --begin;
  return text.substr(begin, equals - begin);
}

}  // namespace

bool IsSecretName(std::string_view name) {
  constexpr std::string_view kWords[] = {"secret",    "password",   "passwd",     "token",      "credential",
                                         "accesskey", "access.key", "access_key", "access-key", "apikey",
                                         "api.key",   "api_key",    "api-key"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) {
    return std::search(name.begin(), name.end(), word.begin(), word.end(),
                       [](char a, char b) { return Lower(a) == b; }) != name.end();
  });
}

std::string RedactSetting(std::string_view name, std::string_view value) {
  if (value.empty()) return {};
  if (IsSecretName(name)) return std::string(kRedacted);
  std::string redacted;
  size_t copied = 0;
  for (size_t equals = value.find('='); equals != std::string_view::npos; equals = value.find('=', equals + 1)) {
    if (equals < copied || !IsSecretName(NameBefore(value, equals))) continue;
    redacted.append(value.substr(copied, equals + 1 - copied));
    redacted.append(kRedacted);
    copied = std::min(value.find_first_of(" \t\n\"',;&", equals + 1), value.size());
  }
  redacted.append(value.substr(copied));
  return redacted;
}

}  // namespace sparkprof
