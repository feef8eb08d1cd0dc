// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "analysis/tables/table.h"

namespace sparkprof {

enum class CsvTexts : uint8_t {
  kGuarded,  // one that a spreadsheet would run as a formula gets a ' in front
  kRaw,      // as they are, for programs
};

// The first line names the columns; quoting as in RFC 4180. `sink` takes the text piece by piece.
using TextSink = std::function<void(std::string_view)>;
void WriteCsv(const Table& table, const TextSink& sink, CsvTexts texts = CsvTexts::kGuarded);

}  // namespace sparkprof
