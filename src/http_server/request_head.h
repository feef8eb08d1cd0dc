// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace sparkprof {

// Rules of RFC 9112 on which a proxy and a server must agree about the end of a request. Boost.Beast is lenient about
// some of them, and a request that two programs parse differently can smuggle a second one past a proxy.

struct HeadProblem {
  unsigned status = 400;
  std::string message;
};

// Finds the end of a request's head in bytes as they arrive.
class HeadScanner {
 public:
  explicit HeadScanner(size_t max_bytes) : max_bytes_(max_bytes) {}

  // `bytes`: everything received of the request so far. Fails for bare CR and LF, control characters, folded lines,
  // spaces before a colon, and for heads longer than the limit.
  std::optional<HeadProblem> Scan(std::string_view bytes);
  // Size of the head with its empty line; 0 until it is complete.
  size_t Size() const { return size_; }

 private:
  std::optional<HeadProblem> CheckLine(std::string_view line);

  size_t max_bytes_;
  size_t size_ = 0;
  size_t scanned_ = 0, line_ = 0;  // offset of the next byte to check, and of its line
};

// Checks the headers that determine the request's end and host. `version` is 10 or 11.
std::optional<HeadProblem> CheckFraming(const HttpHeaders& headers, unsigned version);

}  // namespace sparkprof
