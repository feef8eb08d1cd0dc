// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/writers/table_csv.h"

namespace sparkprof {

// An array with an object for each row, each on its line; unknown is null. Columns "a.b" and "a.c" become an object a.
void WriteJson(const Table& table, const TextSink& sink);

// The object of a row. `flat`: "a.b" stays a name.
std::string RowJson(const Table& table, size_t row, bool flat);

}  // namespace sparkprof
