// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparkprof {

// Whether sparkprof wrote the file beside recordings: in the output folder of `run`, a spool, the folder of a suite, or
// the data of a collector. Such a file has nothing that the recordings lack, so a folder is read without it.
// `head`: the beginning of its content.
bool IsOwnFile(std::string_view path, std::string_view head);

}  // namespace sparkprof
