// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "inputs/inputs.h"

namespace sparkprof {

// Log lines as container runtimes write them:
//   CRI          2026-11-21T16:35:51.123456789Z stderr F 26/11/21 16:35:51 INFO …     (P: the line goes on in the next)
//   docker JSON  {"log":"26/11/21 16:35:51 INFO …\n","stream":"stderr","time":"2026-11-21T16:35:51.123456789Z"}

LineWrapping DetectWrapping(std::string_view head);

// Removes the envelopes. Keeps the order of the container's two streams, and lines without an envelope.
std::string Unwrap(LineWrapping wrapping, std::string_view lines);
std::unique_ptr<ByteSource> UnwrapSource(LineWrapping wrapping, std::unique_ptr<ByteSource> source);

// UTC offset of the clock in log lines, a multiple of 15 minutes, from lines with the times of both log and runtime.
std::optional<int64_t> UtcOffsetOfLines(LineWrapping wrapping, std::string_view head);

}  // namespace sparkprof
