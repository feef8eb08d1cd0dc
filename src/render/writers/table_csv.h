// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "analysis/tables/table.h"

namespace sparkprof {

// The first line names the columns; quoting as in RFC 4180. `sink` takes the text piece by piece.
using TextSink = std::function<void(std::string_view)>;
void WriteCsv(const Table& table, const TextSink& sink);

}  // namespace sparkprof
