// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace sparkprof {

// An expected error: one sentence with the problem, the place (file, line or offset), what was expected, and the fix if
// known.
struct Error {
  std::string message;
};

template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> Fail(std::string message) { return tl::unexpected<Error>(Error{std::move(message)}); }

}  // namespace sparkprof
