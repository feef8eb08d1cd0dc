// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_writer.h"
#include "render/writers/table_csv.h"

namespace sparkprof {

// Writes an array with one object per row, each on its own line; unknown values are null. Columns "a.b" and "a.c"
// become an object a.
void WriteJson(const Table& table, const TextSink& sink);

// The object of a row. `flat`: "a.b" stays a member name.
std::string RowJson(const Table& table, size_t row, bool flat);

// Members of the open object: the columns of the report's page (TableColumn::IsOnPage). Unknown texts are empty, other
// unknown values have no member.
void WritePageCells(const Table& table, size_t row, JsonWriter* json);

}  // namespace sparkprof
