// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "model/profile_builder.h"

namespace sparkprof {

// The frame of an address without symbol in the mapped `file` ("" = unknown): "libc.so.6+0x7f12", as addresses of pprof
// are those of the process.
inline FrameId AddAddressFrame(std::string_view file, uint64_t address, ProfileBuilder* builder) {
  return builder->AddFrame(
      file.empty() ? fmt::format("{:#x}", address) : fmt::format("{}+{:#x}", file.substr(file.rfind('/') + 1), address),
      FrameKind::kNative);
}

}  // namespace sparkprof
