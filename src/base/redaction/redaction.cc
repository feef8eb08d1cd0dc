// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/redaction.h"

#include <algorithm>
#include <vector>

#include "base/redaction/secrecy.h"
#include "base/redaction/secret_search.h"

namespace sparkprof {
namespace {

// Repeats until nothing changes: a replacement can close a quotation, so that the following text becomes the value of a
// name.
constexpr int kMaxPasses = 16;

std::optional<std::string> RedactOnce(std::string_view text) {
  const std::vector<redaction::Range> secrets = redaction::FindSecrets(text);
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

}  // namespace

std::optional<std::string> RedactIfNeeded(std::string_view text) {
  std::optional<std::string> redacted = RedactOnce(text);
  for (int pass = 1; redacted; ++pass) {
    std::optional<std::string> again = RedactOnce(*redacted);
    if (!again || *again == *redacted) break;
    if (pass == kMaxPasses) return std::string(kRedacted);
    redacted = std::move(again);
  }
  return redacted;
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
  // The class path has an entry per jar.
  if (!name.ends_with(".jar") && redaction::SparkRedacts(name)) return std::string(kRedacted);
  if (!redaction::IsHarmless(value, redaction::SecrecyOf(name))) return std::string(kRedacted);
  return RedactText(value);
}

}  // namespace sparkprof
