// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "analysis/tables/table.h"

namespace sparkprof {

enum class CsvTexts : uint8_t {
  kGuarded,  // prefixes texts that a spreadsheet would execute as a formula with '
  kRaw,      // unchanged, for programs
};

// The first line contains the column names; quoting as in RFC 4180. `sink` receives the text piece by piece.
using TextSink = std::function<void(std::string_view)>;
void WriteCsv(const Table& table, const TextSink& sink, CsvTexts texts = CsvTexts::kGuarded);

}  // namespace sparkprof
