// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sparkprof {

inline constexpr std::string_view kRedacted = "*********(redacted)";  // as Spark writes it

// Takes secrets out of text that is kept or shown. redaction/README.md specifies the rule, which the plugin applies
// too. Redacting twice is the same as once. Linear in the size of the text. Thread-safe.

// `text` without its secrets: assignments to secret names in any quoting, and values that are secrets by their shape.
std::string RedactText(std::string_view text);

// The same; nothing, and no allocation, when there is nothing to redact.
std::optional<std::string> RedactIfNeeded(std::string_view text);

// The same in place. False when there was nothing to redact.
bool RedactInPlace(std::string* text);

// The first line of a text and its further lines: a secret may start in the former and end in the latter.
std::pair<std::string, std::string> RedactLines(std::string_view first, std::string_view further);

// `value` of the setting `name`: redacted entirely if the name is that of a secret, otherwise without the secrets in
// its text.
std::string RedactSetting(std::string_view name, std::string_view value);

// Whether RedactSetting redacts a value under this name that is not a switch, number, class or path.
bool IsSecretName(std::string_view name);

}  // namespace sparkprof
