// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// Finds the lines of private keys in the lines of a text or of a log: PEM (RFC 7468), OpenPGP, SSH2 (RFC 4716), PuTTY.
// Other lines may be between them, and each may have a prefix. A key without an end ends with kMaxOtherLines that
// cannot be part of it.
class PrivateKeyLines {
 public:
  // Adds the parts of the next line that belong to a key, with `offset` added.
  void Add(std::string_view line, size_t offset, std::vector<Range>* secrets);

  // Adds the parts of the next text of a stream that belong to a key of an earlier one. Its own keys are left to
  // RedactPrivateKey.
  void AddText(std::string_view text, std::vector<Range>* secrets);

  // Whether lines of a key may follow.
  bool IsOpen() const { return open_ > 0; }

 private:
  static constexpr int kMaxOtherLines = 200;
  static constexpr int kMaxOpen = 100;

  int open_ = 0;         // keys that began and did not end
  int other_lines_ = 0;  // since the last line of a key
};

// Whether a text may begin a private key.
bool MayHavePrivateKey(std::string_view text);

// A private key that begins at `at`, from its first line to its last one.
size_t RedactPrivateKey(ScannedText* scan, size_t at);

}  // namespace sparkprof::redaction
