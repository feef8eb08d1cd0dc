// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparkprof {

// Whether sparkprof wrote the file beside recordings: in the output folder of `run`, a spool, a suite's folder, or a
// collector's data. Recordings contain all of its data, so it is skipped in folders. `head`: start of its content.
bool IsOwnFile(std::string_view path, std::string_view head);

}  // namespace sparkprof
