// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparkprof {

// The absolute path of a file of the repository, such as "docs/settings.md". Tests ask this function instead of a
// macro, so that all of them but one compile to the same objects in every clone, and ccache finds them.
std::string SourceFile(const std::string& path);

}  // namespace sparkprof
