// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// Compresses `bytes` to one gzip member without name and time, so equal input gives equal output. Uses all cores.
std::string Gzip(std::string_view bytes);

// Several times as fast, for answers that are sent once. The output is about a fifth larger and depends on the CPU.
std::string GzipQuickly(std::string_view bytes);

}  // namespace sparkprof
