// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sparkprof {

inline constexpr int64_t kNanosPerMicro = 1'000;
inline constexpr int64_t kNanosPerMilli = 1'000'000;
inline constexpr int64_t kNanosPerSecond = 1'000'000'000;

// CLOCK_REALTIME, ns since the Unix epoch.
int64_t EpochNanos();

// CLOCK_MONOTONIC, the clock of Java's System.nanoTime() on Linux.
int64_t MonotonicNanos();

// Formats an epoch time as "2026-11-21T13:03:51.487Z".
std::string FormatTimestamp(int64_t epoch_ns);

// Inverse of FormatTimestamp for years from 1970 to 2099; the fraction is optional. nullopt for other texts.
std::optional<int64_t> ParseTimestamp(std::string_view text);

}  // namespace sparkprof
