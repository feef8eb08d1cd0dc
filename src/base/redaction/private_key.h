// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// Finds the lines of private keys in a text or log: PEM (RFC 7468), OpenPGP, SSH2 (RFC 4716), PuTTY. Other lines may be
// in between, and each may have a prefix. A key without an end stops after kMaxOtherLines that cannot be part of it.
class PrivateKeyLines {
 public:
  // Adds the parts of the next line that belong to a key, shifted by `offset`.
  void Add(std::string_view line, size_t offset, std::vector<Range>* secrets);

  // Adds the parts of the next text in a stream that continue an earlier key. RedactPrivateKey handles the text's own
  // keys.
  void AddText(std::string_view text, std::vector<Range>* secrets);

  // Whether lines of a key may follow.
  bool IsOpen() const { return open_ > 0; }

 private:
  static constexpr int kMaxOtherLines = 200;
  static constexpr int kMaxOpen = 100;

  int open_ = 0;         // number of started but unfinished keys
  int other_lines_ = 0;  // number since the last line of a key
};

bool MayHavePrivateKey(std::string_view text);

// Redacts a private key that starts at `at`, from its first line to its last.
size_t RedactPrivateKey(ScannedText* scan, size_t at);

}  // namespace sparkprof::redaction
