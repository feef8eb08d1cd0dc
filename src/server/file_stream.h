// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"

namespace sparkprof {

using WritePiece = std::function<Result<void>(std::string_view piece)>;

// The body that `make` writes, in a file without a name below `folder` while it is sent.
Result<HttpBodyStream> StreamThroughFile(const std::string& folder,
                                         const std::function<Result<void>(const WritePiece& write)>& make);

}  // namespace sparkprof
