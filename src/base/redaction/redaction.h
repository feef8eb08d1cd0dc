// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sparkprof {

inline constexpr std::string_view kRedacted = "*********(redacted)";  // same as Spark's

// Removes secrets from text that is stored or displayed. redaction/README.md specifies the rules, which the plugin also
// applies. Idempotent. Takes time linear in the size of the text. Thread-safe.

// Redacts assignments to secret names in any quoting, and values with the form of a secret.
std::string RedactText(std::string_view text);

// RedactText; nullopt, without allocation, if there is nothing to redact.
std::optional<std::string> RedactIfNeeded(std::string_view text);

// Redacts `text` in place. Returns false if there was nothing to redact.
bool RedactInPlace(std::string* text);

// Redacts the first line of a text together with its further lines: a secret may span both.
std::pair<std::string, std::string> RedactLines(std::string_view first, std::string_view further);

// Redacts the setting's `value`: completely if the name is secret, otherwise the secrets in its text.
std::string RedactSetting(std::string_view name, std::string_view value);

// Whether RedactSetting completely redacts a value under this name, unless it is a switch, number, class or path.
bool IsSecretName(std::string_view name);

}  // namespace sparkprof
