// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"

namespace sparkprof {

using WritePiece = std::function<Result<void>(std::string_view piece)>;

// A body for streaming. `make` writes it to an unnamed temporary file in `folder`.
Result<HttpBodyStream> StreamThroughFile(const std::string& folder,
                                         const std::function<Result<void>(const WritePiece& write)>& make);

}  // namespace sparkprof
