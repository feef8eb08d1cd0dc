// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "analysis/table.h"
#include "base/json_writer.h"

namespace sparkprof {

// The first line names the columns; quoting as in RFC 4180. `sink` takes the text piece by piece.
using TextSink = std::function<void(std::string_view)>;
void WriteCsv(const Table& table, const TextSink& sink);

// One row as a member of an array: an object with the columns' names; unknown is null.
void WriteJsonRow(const Table& table, size_t row, JsonWriter* json);

}  // namespace sparkprof
