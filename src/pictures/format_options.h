// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text/text.h"

namespace sparkprof {

// An option that needs data which only some input formats have.
struct FormatOption {
  std::string_view option;
  std::string_view data;
  std::string_view formats;  // separated by spaces

  bool Fits(std::string_view format) const {
    const std::vector<std::string_view> fitting = Split(formats, ' ');
    return std::find(fitting.begin(), fitting.end(), format) != fitting.end();
  }
};

inline constexpr FormatOption kStateOption{"--state", "thread states", "recording jfr thread-dump"};
inline constexpr FormatOption kLeaksOption{"--leaks", "freed memory", "recording jfr"};
inline constexpr FormatOption kLatencyOption{"--latency", "durations of calls", "jfr"};
inline constexpr FormatOption kAddressesOption{"--addrs", "addresses", "perf"};
inline constexpr FormatOption kSourceLinesOption{"--srcline", "source lines", "perf"};
inline constexpr FormatOption kFormatOptions[] = {kStateOption, kLeaksOption, kLatencyOption, kAddressesOption,
                                                  kSourceLinesOption};

}  // namespace sparkprof
