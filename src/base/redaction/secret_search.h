// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/redaction/rules.h"
#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// Finds the secrets of the text itself and of its decoded forms, sorted by position. They may overlap.
std::vector<Range> FindSecrets(std::string_view text);

// Secrets recognized by their form. Each function returns the next position to search.

// Redacts ghp_… and other prefixes of [token].
size_t RedactPrefixed(ScannedText* scan, size_t at, const TokenRule& rule);

// Redacts eyJ….eyJ….… (JSON Web Tokens).
size_t RedactWebToken(ScannedText* scan, size_t at);

// Redacts Bearer X and Basic X: text with the form of a token, and base64 of USER:PASSWORD. `behind` is the position
// after the scheme.
size_t RedactCredentials(ScannedText* scan, size_t at, size_t behind, bool is_bearer);

// Secrets in URLs and addresses. Each function returns the next position to search.

// Redacts scheme://user:PASSWORD@host up to the last @ of the URL, since passwords may contain it. A number after the
// first colon is a port. `begin` is the position after the slashes.
size_t RedactUrl(ScannedText* scan, size_t at, size_t begin);

// Redacts jdbc:oracle:thin:user/PASSWORD@host; `begin` is the position after the prefix's last colon.
size_t RedactOracle(ScannedText* scan, size_t begin);

// Redacts user:PASSWORD@host without a preceding scheme; `at` is the position of the @.
size_t RedactUserInfo(ScannedText* scan, size_t at);

// Redacts everything after the start of a webhook URL.
size_t RedactWebhook(ScannedText* scan, size_t begin);

// Finds the values of a command's options that take a secret (curl -u); they are redacted when the search reaches them.
// `at` is the start of the command. Returns the next position to search.
size_t RedactOptions(ScannedText* scan, size_t at, std::string_view command);

// Redacts the argument that is a secret by its position: htpasswd -b FILE USER X.
size_t RedactPositional(ScannedText* scan, size_t at, std::string_view command);

// Redact the input of a command that reads a secret: echo X | kinit, kinit <<< X.
size_t RedactPiped(ScannedText* scan, size_t at, std::string_view writer);
size_t RedactHereString(ScannedText* scan, size_t at);

// Finds the key among the arguments of aes_encrypt(text, 'KEY', 'GCM') and other functions of [function], in SQL and in
// Spark's plans, where literals are unquoted: cast(KEY as binary), 0x4b4559. Keeps columns. The key is redacted when
// the search reaches it, because calls are nested. Returns the next position to search.
size_t RedactKeyArgument(ScannedText* scan, size_t at, const FunctionRule& function);

// Redacts the columns of secrets below a header line (CSV with commas, semicolons, tabs or bars, or Spark's table
// output) that contains `name` with known secrecy. The values are redacted when the search reaches them.
void RedactColumns(ScannedText* scan, Range name, Secrecy secrecy);

// The same for INSERT INTO t (user, password) VALUES ('joe', 'X').
void RedactInserted(ScannedText* scan, Range name);

// Records with parts that are secrets because of the record's form. The parts are redacted when the search reaches
// them.

// Redacts a line of a .pgpass file: host:port:database:user:X, with PostgreSQL's port or after the file's name.
size_t RedactPasswordFile(ScannedText* scan, size_t at);

// Redacts the values of a Kubernetes Secret below "data:" or "stringData:", in YAML and JSON. `at` is the start of that
// word.
size_t RedactSecretData(ScannedText* scan, size_t at);

// Redacts "value: X" before "name: NAME" of a secret. `at` is the start of "value".
size_t RedactValueBeforeName(ScannedText* scan, size_t at);

}  // namespace sparkprof::redaction
