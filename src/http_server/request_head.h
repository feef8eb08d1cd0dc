// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace sparkprof {

// The rules of RFC 9112 on which a proxy and a server must agree about where a request ends. Boost.Beast is lenient
// with some of them, and a request that two programs read differently can carry a second one past a proxy (request
// smuggling).

struct HeadProblem {
  unsigned status = 400;
  std::string message;
};

// Finds the end of a request's head in bytes as they arrive.
class HeadScanner {
 public:
  explicit HeadScanner(size_t max_bytes) : max_bytes_(max_bytes) {}

  // `bytes`: everything of the request that has arrived, at each call with more at its end. Fails for bare CR and LF,
  // control characters, folded lines, blanks before a colon, and for heads longer than the limit.
  std::optional<HeadProblem> Scan(std::string_view bytes);
  // Size of the head with its empty line; 0 until all of it has arrived.
  size_t Size() const { return size_; }

 private:
  std::optional<HeadProblem> CheckLine(std::string_view line);

  size_t max_bytes_;
  size_t size_ = 0;
  size_t scanned_ = 0, line_ = 0;  // offsets: of the next byte to check, and of its line
};

// The headers that determine where a request ends and which host it is for. `version` is 10 or 11.
std::optional<HeadProblem> CheckFraming(const HttpHeaders& headers, unsigned version);

}  // namespace sparkprof
